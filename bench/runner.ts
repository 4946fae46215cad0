// Runs one benchmark as the command line asks and says how the process should end.
import type { Benchmark } from "./benchmark.ts";
import { parseCommand, ROUNDS_DEFAULT, usage } from "./command-line.ts";
import { isMissed } from "./figure.ts";
import { figureTable } from "./table.ts";

export type Output = {
  /** The result. */
  print(text: string): void;
  /** Everything around it. */
  say(text: string): void;
};

const ROUND_MS = 25;

export const exitCodes = { done: 0, barMissed: 1, misused: 2 } as const;

/** Performs the command and resolves to the exit code: 1 when --check finds a missed bar, 2 when misused. */
export async function runCommand(
  args: readonly string[],
  benchmarks: readonly Benchmark[],
  output: Output,
): Promise<number> {
  const command = parseCommand(args);
  switch (command.kind) {
    case "help":
      output.print(usage(benchmarks));
      return exitCodes.done;
    case "mistake":
      output.say(`bench: ${command.message}\n\n${usage(benchmarks)}`);
      return exitCodes.misused;
    case "run":
      break;
  }
  const benchmark = benchmarks.find(({ name }) => name === command.name);
  if (benchmark === undefined) {
    output.say(`bench: no benchmark "${command.name}"\n\n${usage(benchmarks)}`);
    return exitCodes.misused;
  }
  const rounds = command.rounds ?? benchmark.roundsDefault ?? ROUNDS_DEFAULT;
  const figures = await benchmark.run({ rounds, roundMs: ROUND_MS, progress: output.say });
  output.print(command.asJson ? JSON.stringify({ benchmark: benchmark.name, rounds, figures }) : figureTable(figures));
  const missed = figures.filter(isMissed);
  for (const { name } of missed) output.say(`bench: bar not held: ${name}`);
  return command.isCheck && missed.length > 0 ? exitCodes.barMissed : exitCodes.done;
}
