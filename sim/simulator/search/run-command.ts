// What `npm run sim` does for a list of scenarios: explores seeds, or repeats a tape, and says what came of it. The list comes in, so
// that scenarios of rooms that this one may not enter can be run by an entry of their own.
//
// Beside this file:
//   command-line.ts: what `npm run sim` understands
//   explore.ts, search-together.ts, worker-crew.ts: many seeds, on all cores
//   shrink.ts, report.ts: a failing tape made short, and what a person reads
import { availableParallelism } from "node:os";
import process from "node:process";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../run-history.ts";
import type { Listed } from "../scenarios.ts";
import type { Tape } from "../tape.ts";
import { allows, parseCommand, usage } from "./command-line.ts";
import {
  type Explored,
  type ExploreOptions,
  explain,
  explore,
  type Finding,
  type Progress,
  type SearchOptions,
  search,
} from "./explore.ts";
import { printFinding } from "./report.ts";
import { type Searcher, searchTogether } from "./search-together.ts";
import { type CrewOptions, searcherPort, serveSearches, startCrew } from "./worker-crew.ts";

const SHRINK_MS_MAX = 60_000;
const SHOWN_EVERY_MS = 500;
const LOGGED_EVERY_MS = 60_000;

/**
 * Reads the arguments, does what they ask for, and answers with the exit code of the process. `entry` is the module that calls this:
 * it is started again in each thread that helps.
 */
export async function runCommand(args: readonly string[], listed: readonly Listed[], entry: string): Promise<number> {
  const command = parseCommand(args, listed);
  switch (command.kind) {
    case "help":
      console.log(usage(listed));
      return 0;
    case "mistake":
      console.error(`sim: ${command.message}\n\n${usage(listed)}`);
      return 2;
    case "replay":
      return replay(command.tape, listed, command.wholeTrace);
    case "explore": {
      const { scenario: name, seeds, faults, wholeTrace, workers = availableParallelism() } = command;
      const chosen = listed.filter(({ scenario, holds }) => (name === undefined ? holds : scenario.name === name));
      const startedMs = performance.now();
      const progress = teller(seeds.count, startedMs);
      const options = {
        ...{ scenarios: chosen.map(({ scenario }) => scenario), seeds, builtIn: builtInKinds(), progress },
        isAllowed: allows(faults),
        isTimeUp: timeLimit(),
      };
      const port = searcherPort();
      if (port !== undefined) return serveSearches(port, searcherHere(options));
      const count = Math.min(workers, seeds.count);
      const explored = count > 1 ? await exploreTogether(options, { entry, args, count }) : await explore(options);
      progress(undefined);
      console.log(summary(explored, startedMs));
      return conclude(explored.finding, wholeTrace);
    }
  }
}

/** This thread and others find the seed that fails; it is explained here, where nothing but the machine differs. */
async function exploreTogether(options: ExploreOptions, { count, ...others }: CrewOptions): Promise<Explored> {
  const crew = [searcherHere(options), ...startCrew({ ...others, count: count - 1 })];
  const { failed, ...done } = await searchTogether({ ...options, crew });
  if (failed === undefined) return { ...done, finding: undefined };
  const { finding } = await explore({ ...options, seeds: { first: done.seed, count: 1 } });
  if (finding !== undefined) return { ...done, finding };
  throw new Error(`${failed}, seed ${done.seed}: failed in a thread and holds here; something decides past the ports`);
}

/** A thread that only waits for the others would cost a start and a place on the processor. */
function searcherHere(options: SearchOptions): Searcher {
  return { search: (seeds) => search({ ...options, seeds, progress: () => undefined }), end: () => undefined };
}

async function replay(tape: Tape, listed: readonly Listed[], wholeTrace: boolean): Promise<number> {
  const builtIn = builtInKinds();
  const scenario = listed.find((one) => one.scenario.name === tape.scenario)?.scenario;
  if (scenario === undefined) return 2;
  const history = await runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
  if (history.failure !== undefined) {
    const finding = await explain(history, scenario, { builtIn, isTimeUp: timeLimit() });
    return conclude(finding, wholeTrace);
  }
  if (wholeTrace) console.log(history.trace.join("\n"));
  console.log(`${tape.scenario}: everything holds; fingerprint ${history.fingerprint}`);
  return 0;
}

function conclude(finding: Finding | undefined, wholeTrace: boolean): number {
  if (finding === undefined) return 0;
  console.error(printFinding(finding, wholeTrace));
  return 1;
}

function summary({ histories, virtualMs, seed }: Progress, startedMs: number): string {
  const seconds = (performance.now() - startedMs) / 1_000;
  const hours = (virtualMs / 3_600_000).toFixed(1);
  return `${histories} histories up to seed ${seed}, ${hours} virtual hours in ${seconds.toFixed(1)} s (${(histories / seconds).toFixed(1)}/s)`;
}

/** True from a minute after it was first asked. */
function timeLimit(): () => boolean {
  let endMs: number | undefined;
  return () => {
    endMs ??= performance.now() + SHRINK_MS_MAX;
    return performance.now() > endMs;
  };
}

/** One line that is written over on a terminal; in a log one now and then, from which is seen that the search goes on. */
function teller(count: number, startedMs: number): (done: Progress | undefined) => void {
  const { isTTY } = process.stderr;
  const [before, after, everyMs] = isTTY ? ["\r\u001b[K", "", SHOWN_EVERY_MS] : ["", "\n", LOGGED_EVERY_MS];
  let saidMs = isTTY ? 0 : startedMs;
  return (done) => {
    if (done === undefined) process.stderr.write(before);
    else if (performance.now() - saidMs > everyMs) {
      saidMs = performance.now();
      process.stderr.write(`${before}${summary(done, startedMs)} of ${count} seeds${after}`);
    }
  };
}
