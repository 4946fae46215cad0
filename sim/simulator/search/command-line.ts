// What `npm run sim -- …` understands.
import { parseArgs } from "node:util";
import type { Listed } from "../scenarios.ts";
import { parseTape, type Tape } from "../tape.ts";

export type Command =
  | {
      readonly kind: "explore";
      /** Undefined for all that must hold. */
      readonly scenario: string | undefined;
      readonly seeds: { readonly first: number; readonly count: number };
      /** Undefined for all. */
      readonly faults: readonly string[] | undefined;
      readonly wholeTrace: boolean;
      /** How many threads run seeds; undefined for one per core. */
      readonly workers: number | undefined;
    }
  | { readonly kind: "replay"; readonly tape: Tape; readonly wholeTrace: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly message: string };

export const SEEDS_DEFAULT = 100;
/** Seeds are typed by people and mixed in 32 bits. */
const SEED_MAX = 2 ** 32 - 1;
const WORKERS_MAX = 256;

const options = {
  seeds: { type: "string" },
  seed: { type: "string" },
  scenario: { type: "string" },
  tape: { type: "string" },
  faults: { type: "string" },
  workers: { type: "string" },
  trace: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Reads the arguments; what cannot be understood is a mistake with its reason. */
export function parseCommand(args: readonly string[], listed: readonly Listed[]): Command {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: "help" };
    if (values.tape !== undefined) {
      const tape = parseTape(values.tape);
      return known(tape.scenario, listed) ?? { kind: "replay", tape, wholeTrace: values.trace };
    }
    const first = values.seed === undefined ? 1 : wholeNumber("--seed", values.seed, 0);
    const usual = values.seed === undefined ? SEEDS_DEFAULT : 1;
    const count = values.seeds === undefined ? usual : wholeNumber("--seeds", values.seeds, 1);
    const workers = values.workers === undefined ? undefined : wholeNumber("--workers", values.workers, 1, WORKERS_MAX);
    const faults = values.faults?.split(",").map((name) => name.trim());
    return (
      known(values.scenario, listed) ??
      strange(faults ?? [], listed) ?? {
        ...{ kind: "explore", scenario: values.scenario, seeds: { first, count }, wholeTrace: values.trace },
        ...{ faults, workers },
      }
    );
  } catch (error) {
    return { kind: "mistake", message: error instanceof Error ? error.message : String(error) };
  }
}

/** A fault is meant by its whole name, or by its end or beginning: "answer-lost", "operator". */
export function allows(faults: readonly string[] | undefined): (name: string) => boolean {
  if (faults === undefined) return () => true;
  return (name) => faults.some((one) => name === one || name.endsWith(`-${one}`) || name.startsWith(`${one}-`));
}

/** How to call it, with the names of all scenarios. */
export function usage(listed: readonly Listed[]): string {
  const width = Math.max(...listed.map(({ scenario }) => scenario.name.length));
  const rows = (holds: boolean) =>
    listed
      .filter((one) => one.holds === holds)
      .map(({ scenario }) => `  ${scenario.name.padEnd(width)}  ${scenario.about}`);
  return [
    "usage: npm run sim -- [--seeds N] [--seed N] [--scenario NAME] [--faults A,B] [--workers N] [--tape TEXT] [--trace]",
    "",
    `  --seeds N        how many seeds to run (default ${SEEDS_DEFAULT}; 1 with --seed)`,
    "  --seed N         the first seed (default 1)",
    "  --scenario NAME  only this one (default: all that must hold)",
    "  --faults A,B     only these faults, each by its name, its end (answer-lost) or its beginning (operator)",
    "  --workers N      how many threads run seeds (default: one per core)",
    "  --tape TEXT      runs a tape that a failing run has printed",
    "  --trace          prints every step of a failing run, or of a tape",
    "",
    "scenarios that must hold:",
    ...rows(true),
    "",
    "scenarios that must fail, to prove that faults are found:",
    ...rows(false),
  ].join("\n");
}

function known(name: string | undefined, listed: readonly Listed[]): Command | undefined {
  const names = listed.map(({ scenario }) => scenario.name);
  if (name === undefined || names.includes(name)) return undefined;
  return { kind: "mistake", message: `there is no scenario "${name}"; there are ${names.join(", ")}` };
}

/** A fault that no scenario has would leave all others out, and everything would hold. */
function strange(faults: readonly string[], listed: readonly Listed[]): Command | undefined {
  const names = new Set(
    listed.flatMap(({ scenario }) => [...scenario.faults, ...scenario.worldFaults]).map(({ name }) => name),
  );
  const unknown = faults.find((fault) => ![...names].some(allows([fault])));
  if (unknown === undefined) return undefined;
  return { kind: "mistake", message: `there is no fault "${unknown}"; there are ${[...names].sort().join(", ")}` };
}

/** No seeds at all would hold too. */
function wholeNumber(option: string, text: string, min: number, max = SEED_MAX): number {
  const number = Number(text);
  const isFine = /^\d+$/.test(text) && number >= min && number <= max;
  if (!isFine) throw new Error(`${option} must be a whole number from ${min} to ${max}, not "${text}"`);
  return number;
}
