// What a change of an object would do, before it is done: the object's own decisions are made one after another on a cluster on paper, until
// nothing is left to do. So a forecast and the operator cannot disagree about rules; only the world can differ from the paper.
//
// Beside this file:
//   paper-cluster.ts, paper-shelf.ts  a cluster in memory that performs steps at once
//   paper-controllers.ts              what Kubernetes itself would do there
//   paper-journal.ts                  what happens to each node on the way

import { objectIdentity, textIn } from "../../core/decision/object-identity.ts";
import type { Hold } from "../../core/decision/plan.ts";
import type { ImageState, StoredObject } from "../../core/decision/snapshot.ts";
import type { Step } from "../../core/decision/step.ts";
import { taskState } from "../../core/decision/task.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import type { ImageQuestion, Kind } from "../kind.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import { PaperCluster } from "./paper-cluster.ts";
import { settlePaper } from "./paper-controllers.ts";
import { PaperJournal, type PodChanges } from "./paper-journal.ts";

/** Decisions of one forecast. A rollout of a thousand nodes one by one fits; what needs more is told as unfinished. */
export const ROUNDS_MAX = 3_000;
/** How far a forecast looks ahead: longer than anything that is waited for on purpose. */
export const HORIZON_MS = 24 * 3_600_000;
/** What everybody else needs to do their part, on paper. */
const ROUND_MS = 1_000;
/** The longer nothing has happened, the further a forecast looks ahead: what is only asked again and again never ends. */
const IDLE_MS = 60_000;

export type ForecastInput = {
  readonly kind: Kind;
  /** All objects of the cluster, the one in question among them as it is now, if it is there. */
  readonly objects: Iterable<JsonObject>;
  /** The object as it would be. */
  readonly object: JsonObject;
  readonly image: (reference: string) => ImageState;
  readonly nowMs: number;
};

export type Forecast = PodChanges & {
  /** The writes in their order; those of one round go out together. */
  readonly writes: readonly { readonly round: number; readonly step: Step }[];
  /** What is still held back in the end. */
  readonly held: readonly Hold[];
  /** Nothing was left to do within the limits of a forecast. */
  readonly isSettled: boolean;
  /** The cluster as it would be in the end, and the object in it: for whoever wants to know why a node gets what it gets. */
  readonly end: PaperCluster;
  readonly object: StoredObject;
};

/** Forecasts what follows from storing the object. */
export function forecast(input: ForecastInput): Forecast {
  const { kind, nowMs } = input;
  const cluster = new PaperCluster(input.objects, { image: input.image, isOurLabel: ourLabel(kind, input.object) });
  const object = store(cluster, input.object);
  const journal = new PaperJournal(cluster, object.uid);
  const writes: Forecast["writes"][number][] = [];
  let held: readonly Hold[] = [];
  let atMs = nowMs;
  let settledAt = -1;
  let idleRounds = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = cluster.changes;
    const { plan, asks } = kind.observe(cluster, object).decide(atMs);
    const steps = plan.steps.filter(isPlayed);
    held = plan.held;
    for (const step of steps) cluster.perform(step, atMs);
    writes.push(...steps.map((step) => ({ round, step })));
    journal.note();
    if (cluster.changes !== settledAt) settlePaper(cluster, atMs);
    settledAt = cluster.changes;
    for (const ask of asks) answer(cluster, ask, atMs);
    journal.note();
    const isIdle = cluster.changes === before;
    idleRounds = isIdle ? idleRounds + 1 : 0;
    const nextMs = isIdle ? plan.lookAgainAtMs : atMs + ROUND_MS;
    if (nextMs === undefined || nextMs > nowMs + HORIZON_MS) {
      return { writes, ...journal.sum(), held, isSettled: true, end: cluster, object };
    }
    atMs = Math.max(nextMs, atMs + ROUND_MS, atMs + (idleRounds - 1) * IDLE_MS);
  }
  return { writes, ...journal.sum(), held, isSettled: false, end: cluster, object };
}

/** What only tells of the object, its scale among it, changes nothing for anybody on paper. */
function isPlayed(step: Step): boolean {
  return step.do !== "status" && step.do !== "event" && !(step.do === "patch" && step.subresource === "scale");
}

/** The object as the API server would keep it: who it is stays, what it should be is new. */
function store(cluster: PaperCluster, object: JsonObject): StoredObject {
  const { uid, generation } = objectIdentity(object);
  const kept = { uid: uid === "" ? "paper" : uid, generation: generation + 1 };
  const stored = mergeObject(object, { metadata: kept });
  cluster.put(stored);
  return { ...objectIdentity(stored), object: stored };
}

/** A label is ours if the kind itself would find the object by it, or says that the object writes it. */
function ourLabel(kind: Kind, object: JsonObject): (key: string, node: NodeFacts) => boolean {
  const { namespace, name } = objectIdentity(object);
  const written = new Set(kind.traces?.keysOf?.(object));
  return (key, node) => {
    if (written.has(key)) return true;
    const alone = { ...node, labels: { [key]: node.labels[key] ?? "" } };
    return kind.traces?.leftOn(alone).some((left) => left.namespace === namespace && left.name === name) ?? false;
  };
}

/**
 * Answers a question about an image as far as the paper tells. No registry is asked for a forecast: what runs already is there, what the object
 * would make itself is not, before a build has made it, and of anything else the best is hoped.
 */
function answer(cluster: PaperCluster, { image, was, newerThanMs, isMadeHere }: ImageQuestion, atMs: number): void {
  const isAwaited = was.is !== "present" || newerThanMs !== undefined;
  if (isAwaited && isBuilt(cluster, image)) cluster.push(image, atMs);
  else if (was.is === "unasked") {
    const isThere = isMadeHere !== true || isUsed(cluster, image);
    cluster.know(image, isThere ? { is: "present", digest: "", askedMs: atMs } : { is: "missing", askedMs: atMs });
  }
}

/** Whether a pod has it; pods that are pinned name its digest, too. */
function isUsed(cluster: PaperCluster, image: string): boolean {
  return cluster.pods.objects().some((pod) => {
    const containers = listOf(objectAt(pod, "spec").containers).filter(isJsonObject);
    return containers.some((container) => textIn(container.image).split("@")[0] === image);
  });
}

/** Every build that has run has pushed the image that an annotation of its Job names. */
function isBuilt(cluster: PaperCluster, image: string): boolean {
  const jobs = cluster.shelf("Job").values();
  return jobs.some((job) => taskState(job).is === "succeeded" && Object.values(job.annotations).includes(image));
}
