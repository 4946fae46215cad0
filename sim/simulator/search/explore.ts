// Runs many seeds of many scenarios, one after the other, and stops at the first that fails. A share of them is run twice: a
// run that cannot be repeated is a fault of the simulator, or of code that reads the time or draws lots past its ports. Several of
// these at once are in search-together.ts.
import type { ResourceType } from "../../api-server/resource-type.ts";
import { type History, runHistory } from "../run-history.ts";
import type { Scenario } from "../scenario.ts";
import type { Tape } from "../tape.ts";
import { shrinkTape } from "./shrink.ts";

export type Seeds = { readonly first: number; readonly count: number };

export type SearchOptions = {
  readonly scenarios: readonly Scenario[];
  readonly seeds: Seeds;
  readonly builtIn: readonly ResourceType[];
  readonly isAllowed: (fault: string) => boolean;
  /** Told after every seed. */
  readonly progress: (done: Progress) => void;
};

export type ExploreOptions = SearchOptions & {
  /** True when the search for a short tape has taken long enough. */
  readonly isTimeUp: () => boolean;
};

export type Progress = {
  readonly seed: number;
  readonly histories: number;
  readonly virtualMs: number;
};

/** How far a search came; the scenario that failed at its last seed, if one did. */
export type Searched = Progress & { readonly failed: string | undefined };

/** What a failing run leaves behind. */
export type Finding = {
  readonly scenario: string;
  readonly found: History;
  /** The same failure with as few choices as could be found; its trace is kept. */
  readonly shortest: History;
  readonly shrinkRuns: number;
};

export type Explored = Progress & { readonly finding: Finding | undefined };

/** One seed in so many is run twice. */
export const REPEAT_EVERY = 100;
const SHRINK_RUNS_MAX = 400;

/** Runs the seeds in order, each in every scenario, and explains the first failure. */
export async function explore(options: ExploreOptions): Promise<Explored> {
  const { failure, ...done } = await firstFailure(options);
  const finding = failure && (await explain(failure.history, failure.scenario, options));
  return { ...done, finding };
}

/** The same, without an explanation. */
export async function search(options: SearchOptions): Promise<Searched> {
  const { failure, ...done } = await firstFailure(options);
  return { ...done, failed: failure?.scenario.name };
}

type Failed = { readonly scenario: Scenario; readonly history: History };

async function firstFailure(options: SearchOptions): Promise<Progress & { readonly failure: Failed | undefined }> {
  const { scenarios, seeds, progress } = options;
  let done: Progress = { seed: seeds.first, histories: 0, virtualMs: 0 };
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
    for (const scenario of scenarios) {
      const history = await runChecked(options, scenario, seed);
      done = { seed, histories: done.histories + 1, virtualMs: done.virtualMs + history.virtualMs };
      if (history.failure !== undefined) return { ...done, failure: { scenario, history } };
    }
    progress(done);
  }
  return { ...done, failure: undefined };
}

async function runChecked(options: SearchOptions, scenario: Scenario, seed: number): Promise<History> {
  const run = () => runHistory({ ...options, scenario, source: { seed } });
  const history = await run();
  if (seed % REPEAT_EVERY !== 0 || history.failure !== undefined) return history;
  const again = await run();
  if (again.fingerprint === history.fingerprint) return history;
  const message = `seed ${seed} took other steps the second time: ${history.fingerprint}, then ${again.fingerprint}`;
  return { ...history, failure: { oracle: "Repeats", message, atMs: 0 } };
}

/** Finds a short tape with the same failure, and its trace. */
export async function explain(
  found: History,
  scenario: Scenario,
  options: Pick<ExploreOptions, "builtIn" | "isTimeUp">,
): Promise<Finding> {
  const replay = (tape: Tape, keepsTrace: boolean) =>
    runHistory({ scenario, source: { tape }, builtIn: options.builtIn, keepsTrace });
  const oracle = found.failure?.oracle ?? "";
  const attempt = async (tape: Tape) => {
    const history = await replay(tape, false);
    return { oracle: history.failure?.oracle, tape: history.tape };
  };
  const shrunk = await shrinkTape(found.tape, {
    ...{ oracle, attempt, isTimeUp: options.isTimeUp },
    runsMax: oracle === "Repeats" ? 0 : SHRINK_RUNS_MAX,
  });
  const shortest = await replay(shrunk.tape, true);
  return { scenario: scenario.name, found, shortest, shrinkRuns: shrunk.runs };
}
