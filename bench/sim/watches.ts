// Deliveries: what it costs to hand one event to one watcher, while many watchers keep up, and when one catches up with history.
import { atMost } from "../bar.ts";
import type { WorkComparison } from "../compare.ts";
import type { Work } from "../measure.ts";
import type { BenchServer, Call } from "./bench-server.ts";
import { type Subject, subjects } from "./subjects.ts";
import { timedWork } from "./timed-work.ts";
import { filledServer, pathsOf, reading, storedTexts } from "./writes.ts";

const WATCHERS = 10;
/** More than the server keeps bytes of, so that old events have to be written again. */
const HISTORY = 2_000;

/** Every comparison about watches. */
export async function watchComparisons(): Promise<readonly WorkComparison[]> {
  const all: WorkComparison[] = [];
  for (const subject of subjects) {
    const server = await filledServer(subject);
    const paths = pathsOf(subject);
    const compared = (what: string, work: Work): WorkComparison => ({
      name: `${what}, ${subject.name}`,
      unit: "µs",
      subject: work,
      yardsticks: [{ name: "JSON.parse + JSON.stringify of the object", bar: atMost(1.5), work: reading(stored) }],
    });
    const stored = await storedTexts(server, paths);
    all.push(compared(`watch delivery to one of ${WATCHERS}`, live(server, subject, paths)));
    all.push(compared("watch delivery from history", history(await filledServer(subject), subject, paths)));
  }
  return all;
}

/** Watchers are open before the writes happen, and read afterwards; only the reading counts. */
function live(server: BenchServer, subject: Subject, paths: readonly string[]): Work {
  return timedWork("live watch", paths.length * WATCHERS, async () => {
    const streams = await Promise.all(
      Array.from({ length: WATCHERS }, () =>
        server.watch(`${subject.collection}?watch=1&resourceVersion=${server.revision()}`),
      ),
    );
    await touch(server, paths);
    return async () => {
      for (const stream of streams) await readEvents(stream, paths.length);
    };
  });
}

function history(server: BenchServer, subject: Subject, paths: readonly string[]): Work {
  let from: number | undefined;
  return timedWork("watch from history", HISTORY, async () => {
    if (from === undefined) {
      from = server.revision();
      for (let made = 0; made < HISTORY; made += paths.length) await touch(server, paths);
    }
    const stream = await server.watch(`${subject.collection}?watch=1&resourceVersion=${from}`);
    return () => readEvents(stream, HISTORY);
  });
}

/** Changes every object once. */
async function touch(server: BenchServer, paths: readonly string[]): Promise<void> {
  const mark = `${server.revision()}`;
  const body = JSON.stringify({ metadata: { annotations: { "bench.example.dev/turn": mark } } });
  for (const path of paths) {
    const call: Call = { method: "PATCH", path, media: "application/merge-patch+json", body };
    await server.call(call);
  }
}

/** Reads as many events, which come one by one, and closes the stream. */
async function readEvents(chunks: AsyncIterable<Uint8Array>, count: number): Promise<void> {
  let events = 0;
  for await (const chunk of chunks) {
    if (chunk.length > 0) events += 1;
    if (events === count) return;
  }
  throw new Error(`the watch ended after ${events} of ${count} events`);
}
