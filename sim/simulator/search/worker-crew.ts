// Searchers in threads: each is the command itself, started once more with the same arguments and told to run seeds on demand.
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from "node:worker_threads";
import type { Searched, Seeds } from "./explore.ts";
import type { Searcher } from "./search-together.ts";

export type CrewOptions = {
  /** The module that was started, which starts each of them as well. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly count: number;
};

/** What tells a searcher from other threads in which this code may run, such as those of a test runner. */
const ERRAND = "farrier-searcher";

/** Starts the threads. They do not keep the process alive. */
export function startCrew({ entry, args, count }: CrewOptions): readonly Searcher[] {
  return Array.from({ length: count }, () => {
    const worker = new Worker(new URL(entry), { argv: [...args], workerData: ERRAND });
    return {
      search: (seeds) => asked(worker, seeds),
      end: () => void worker.terminate(),
    };
  });
}

/** The line to whoever started this thread as a searcher; undefined in any other. */
export function searcherPort(): MessagePort | undefined {
  return isMainThread || workerData !== ERRAND ? undefined : (parentPort ?? undefined);
}

/** Runs what is asked for until the thread is ended. */
export async function serveSearches(port: MessagePort, { search }: Searcher): Promise<never> {
  port.on("message", (seeds: Seeds) => {
    void search(seeds).then((searched) => port.postMessage(searched));
  });
  return new Promise<never>(() => undefined);
}

function asked(worker: Worker, seeds: Seeds): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const answer = (searched: Searched) => {
      worker.off("error", reject);
      worker.off("exit", gone);
      resolve(searched);
    };
    const gone = (code: number) => reject(new Error(`a searcher has ended with code ${code} at seed ${seeds.first}`));
    worker.once("message", answer);
    worker.once("error", reject);
    worker.once("exit", gone);
    worker.postMessage(seeds);
  });
}
