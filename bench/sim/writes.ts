// Writes of the embedded API server against what nobody can avoid: reading the object's text once and writing it once.
import { atMost, type Bar } from "../bar.ts";
import type { WorkComparison } from "../compare.ts";
import { inProcess, type Work } from "../measure.ts";
import { type BenchServer, type Call, startBenchServer } from "./bench-server.ts";
import { type Subject, subjects } from "./subjects.ts";
import { type Ready, timedWork } from "./timed-work.ts";

/** Objects per iteration. */
const BATCH = 100;
const MARK = "bench.example.dev/mark";
const decoder = new TextDecoder();
const indexes = Array.from({ length: BATCH }, (_, index) => index);

/** Every comparison about one write. */
export async function writeComparisons(): Promise<readonly WorkComparison[]> {
  const all: WorkComparison[] = [];
  for (const subject of subjects) all.push(...(await comparisonsOf(subject)));
  return all;
}

async function comparisonsOf(subject: Subject): Promise<readonly WorkComparison[]> {
  const server = await filledServer(subject);
  const stored = await storedTexts(server, pathsOf(subject));
  const compared = (what: string, limit: Bar, work: Work): WorkComparison => ({
    name: `${what}, ${subject.name}`,
    unit: "µs",
    subject: work,
    yardsticks: [{ name: "JSON.parse + JSON.stringify of the object", bar: limit, work: reading(stored) }],
  });
  return [
    compared("create", atMost(6), creating(await startBenchServer(), subject)),
    compared("update (PUT)", atMost(6), replacing(server, subject)),
    compared("merge patch", atMost(6), patching(server, pathsOf(subject))),
    compared("server-side apply", atMost(12), applying(server, subject)),
  ];
}

/** A server that holds a batch of the subject's objects. */
export async function filledServer(subject: Subject, count = BATCH): Promise<BenchServer> {
  const server = await startBenchServer();
  for (let index = 0; index < count; index++)
    await server.call({ method: "POST", path: subject.collection, body: sentText(subject, index) });
  return server;
}

function sentText(subject: Subject, index: number): string {
  const object = subject.object(index);
  const metadata = Object(object.metadata);
  const annotations = { ...Object(metadata.annotations), [MARK]: "m0" };
  return JSON.stringify({ ...object, metadata: { ...metadata, annotations } });
}

/** The objects as the server answers them, owners included. */
export async function storedTexts(server: BenchServer, paths: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const path of paths) texts.push(decoder.decode(await server.call({ method: "GET", path })));
  return texts;
}

/** Where a batch of objects is. */
export function pathsOf(subject: Subject, places: readonly number[] = indexes): readonly string[] {
  return places.map((index) => `${subject.collection}/${Object(subject.object(index).metadata).name}`);
}

/** Reads and writes every text once. */
export function reading(texts: readonly string[]): Work {
  return inProcess("JSON.parse + JSON.stringify", texts.length, () => {
    let chars = 0;
    for (const text of texts) chars += JSON.stringify(JSON.parse(text)).length;
    return chars;
  });
}

/** Objects are made again and again under the same names; taking them away in between is not counted. */
function creating(server: BenchServer, subject: Subject): Work {
  const calls = indexes.map(
    (index): Call => ({ method: "POST", path: subject.collection, body: sentText(subject, index) }),
  );
  const removals = pathsOf(subject).map((path): Call => ({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` }));
  let isEmpty = true;
  return timedWork("create", BATCH, async () => {
    if (!isEmpty) await performing(server, removals)();
    isEmpty = false;
    return performing(server, calls);
  });
}

/** A client that has read the objects, changes an annotation of each and sends it back as a whole. */
function replacing(server: BenchServer, subject: Subject): Work {
  let turn = 0;
  const paths = pathsOf(subject);
  return timedWork("update", BATCH, async () => {
    const mark = nextMark(++turn);
    const texts = await storedTexts(server, paths);
    const calls = paths.map((path, index): Call => {
      const body = texts[index]?.replace(/("bench\.example\.dev\/mark":)"\w+"/, `$1"${mark}"`) ?? "";
      return { method: "PUT", path, body };
    });
    return performing(server, calls);
  });
}

/** A change of an annotation. */
export function patching(server: BenchServer, paths: readonly string[]): Work {
  let turn = 0;
  return timedWork("merge patch", paths.length, () => {
    const body = JSON.stringify({ metadata: { annotations: { [MARK]: nextMark(++turn) } } });
    return performing(
      server,
      paths.map((path): Call => ({ method: "PATCH", path, media: "application/merge-patch+json", body })),
    );
  });
}

function applying(server: BenchServer, subject: Subject): Work {
  let turn = 0;
  const paths = pathsOf(subject).map((path) => `${path}?fieldManager=bench-apply&force=true`);
  const bodies = ["m0", "m1"].map((mark) => indexes.map((index) => JSON.stringify(subject.applied(index, mark))));
  return timedWork("apply", BATCH, () => {
    const sent = bodies[++turn % bodies.length] ?? [];
    return performing(
      server,
      paths.map(
        (path, at): Call => ({ method: "PATCH", path, media: "application/apply-patch+yaml", body: sent[at] ?? "" }),
      ),
    );
  });
}

/** Marks alternate, so that every write changes something and texts keep their length. */
function nextMark(turn: number): string {
  return turn % 2 === 0 ? "m0" : "m1";
}

function performing(server: BenchServer, calls: readonly Call[]): Ready {
  return async () => {
    for (const call of calls) await server.call(call);
  };
}
