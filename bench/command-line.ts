// What `npm run bench -- …` understands.
import { parseArgs } from "node:util";
import type { Benchmark } from "./benchmark.ts";

export type Command =
  | {
      readonly kind: "run";
      readonly name: string;
      readonly asJson: boolean;
      readonly isCheck: boolean;
      readonly rounds: number;
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
        rounds: { type: "string", default: String(ROUNDS_DEFAULT) },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const [name, ...others] = positionals;
    if (name === undefined) return mistake("which benchmark?");
    if (others.length > 0) return mistake(`one benchmark at a time, not also ${others.join(", ")}`);
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
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
  return [
    "usage: npm run bench -- NAME [--json] [--check] [--rounds N]",
    "",
    "  --json      one line of JSON instead of the table",
    "  --check     exit with 1 when a bar is not held",
    `  --rounds N  how often subject and yardstick take turns (default ${ROUNDS_DEFAULT})`,
    "",
    "benchmarks:",
    ...benchmarks.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ].join("\n");
}

function mistake(message: string): Command {
  return { kind: "mistake", message };
}
