// What `npm run bench -- …` understands.
import { parseArgs } from "node:util";
import type { Benchmark } from "./benchmark.ts";

export type Command =
  | {
      readonly kind: "run";
      readonly name: string;
      readonly asJson: boolean;
      readonly isCheck: boolean;
      /** Undefined when the benchmark is to choose. */
      readonly rounds: number | undefined;
    }
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly message: string };

export const ROUNDS_DEFAULT = 15;
export const ROUNDS_MAX = 1000;

/** Reads the arguments; what cannot be understood is a mistake with its reason. */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        rounds: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const [name, ...others] = positionals;
    if (name === undefined) return mistake("which benchmark?");
    if (others.length > 0) return mistake(`one benchmark at a time, not also ${others.join(", ")}`);
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !isRounds(rounds)) {
      return mistake(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}, not "${values.rounds}"`);
    }
    return { kind: "run", name, asJson: values.json, isCheck: values.check, rounds };
  } catch (error) {
    return mistake(error instanceof Error ? error.message : String(error));
  }
}

/** How to call it, with the names of all benchmarks. */
export function usage(benchmarks: readonly Benchmark[]): string {
  const width = Math.max(...benchmarks.map(({ name }) => name.length));
  const others = benchmarks.flatMap(({ name, roundsDefault }) =>
    roundsDefault === undefined ? [] : [`${name}: ${roundsDefault}`],
  );
  return [
    "usage: npm run bench -- NAME [--json] [--check] [--rounds N]",
    "",
    "  --json      one line of JSON instead of the table",
    "  --check     exit with 1 when a bar is not held",
    `  --rounds N  how often subject and yardstick take turns (default ${[ROUNDS_DEFAULT, ...others].join(", ")})`,
    "",
    "benchmarks:",
    ...benchmarks.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ].join("\n");
}

function isRounds(rounds: number): boolean {
  return Number.isInteger(rounds) && rounds >= 1 && rounds <= ROUNDS_MAX;
}

function mistake(message: string): Command {
  return { kind: "mistake", message };
}
