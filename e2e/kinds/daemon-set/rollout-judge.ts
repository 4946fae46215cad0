// The verdict on a rollout from the record of everything that was committed: whether a node ever had two live pods, and whether a pod
// was ever taken when the budget was spent. It reads the store's own order of changes, so nothing that happened in between is missed.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import type { Committed } from "../../runtime/observer.ts";

export type Verdict = {
  /** Sentences about nodes with two live pods. */
  readonly twins: readonly string[];
  /** Sentences about pods that were taken although the budget was spent. */
  readonly breaches: readonly string[];
  /** The most nodes that were without a serving pod at once, from the first moment when all had one. */
  readonly unavailableMax: number;
  /** Pods that were taken while they served. */
  readonly taken: number;
};

type Pod = { readonly node: string; readonly isLive: boolean; readonly isServing: boolean };

/** Judges the changes of all pods of a set, oldest first. */
export function judgeRollout(changes: readonly Committed[], nodes: number, max: number): Verdict {
  const pods = new Map<string, Pod>();
  const twins: string[] = [];
  const breaches: string[] = [];
  let hasBegun = false;
  let unavailableMax = 0;
  let taken = 0;
  for (const { name, object, revision } of changes) {
    const before = pods.get(name);
    const after = isJsonObject(object as Json) ? readPod(object as JsonObject) : undefined;
    if (after === undefined) pods.delete(name);
    else pods.set(name, after);
    const live = [...pods].filter(([, pod]) => pod.isLive && pod.node === after?.node).map(([each]) => each);
    if (after?.isLive && live.length > 1) twins.push(`at ${revision} ${after.node} has ${live.join(" and ")}`);
    const serving = new Set([...pods.values()].filter(({ isServing }) => isServing).map(({ node }) => node)).size;
    const unavailable = nodes - serving;
    hasBegun ||= unavailable === 0;
    if (hasBegun) unavailableMax = Math.max(unavailableMax, unavailable);
    const isTaken = before?.isServing === true && after?.isLive !== true;
    if (isTaken) taken += 1;
    if (isTaken && unavailable > max) breaches.push(`at ${revision} ${name} was taken, the ${unavailable}th of ${max}`);
  }
  return { twins, breaches, unavailableMax, taken };
}

/** The nodes that have a serving pod with an image of this tag. */
export function servingWith(changes: readonly Committed[], tag: string): number {
  const latest = new Map(changes.map(({ name, object }) => [name, object]));
  return [...latest.values()].filter((object) => {
    return (
      isJsonObject(object as Json) && readPod(object as JsonObject).isServing && textOf(object).includes(`:${tag}"`)
    );
  }).length;
}

function readPod(object: JsonObject): Pod {
  const { spec, status, metadata } = object;
  const { phase, conditions } = isJsonObject(status) ? status : {};
  const isLeaving = isJsonObject(metadata) && metadata.deletionTimestamp !== undefined;
  const isLive = !isLeaving && phase !== "Failed" && phase !== "Succeeded";
  const all = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  const isReady = all.some(({ type, status: is }) => type === "Ready" && is === "True");
  return { node: targetOf(isJsonObject(spec) ? spec : {}), isLive, isServing: isLive && isReady };
}

/** A pod is on its node from its first moment: nobody else's it can become. */
function targetOf(spec: JsonObject): string {
  if (typeof spec.nodeName === "string") return spec.nodeName;
  return /"metadata\.name","operator":"In","values":\["([^"]+)"\]/.exec(JSON.stringify(spec.affinity ?? {}))?.[1] ?? "";
}

function textOf(object: unknown): string {
  return JSON.stringify(isJsonObject(object as Json) ? (object as JsonObject).spec : {});
}
