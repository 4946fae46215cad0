// What must hold of a set after every write, whatever goes wrong.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { LIFECYCLE_STATE, PREPARING_DELETE } from "../../../src/kinds/daemon-set/pods/lifecycle.ts";
import { RENDERED_HASH } from "../../../src/kinds/daemon-set/pods/pod-keys.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";

/** The node of a pod that is bound to it. */
export function nodeOf(pod: JsonObject): string {
  return textAt(objectAt(pod, "spec"), "nodeName");
}

/** Whether a pod serves: it is ready, has not ended, and is not being deleted. */
export function isServing(pod: JsonObject): boolean {
  const status = objectAt(pod, "status");
  const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
  const conditions = listAt(status, "conditions").filter(isJsonObject);
  const isReady = conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
  return isReady && !hasEnded && metaOf(pod).deletionTimestamp === undefined;
}

/** S1 with a surge: a node may have two live pods of a set only when they are of different renderings, or one was asked to go. */
export const twoOnlyWhileSurging: Invariant = {
  name: "TwoOnlyWhileSurging",
  check({ table, after }, state) {
    if (table !== "pods" || after === undefined || !isLive(after)) return undefined;
    const there = [...state.objects("pods")].filter((pod) => isLive(pod) && placeOf(pod) === placeOf(after));
    const kinds = new Set(there.map((pod) => objectAt(metaOf(pod), "labels")[RENDERED_HASH]));
    if (there.length < 2 || (there.length === 2 && (kinds.size === 2 || there.some(isMarked)))) return undefined;
    return `${placeOf(after)} has ${there.length} pods: ${there.map((pod) => textAt(metaOf(pod), "name")).join(", ")}`;
  },
};

/**
 * S2: of the nodes that serve nobody, so many were taken out of service by us. A node is ours from the write by which we took
 * it until it serves again; what others break in between does not let us take more. It remembers, so each history needs its own.
 */
export function budgetHolds(roles: readonly string[], max: number): Invariant {
  const ours = new Set<string>();
  const isOurs = ({ by }: Commit) => roles.some((role) => by === role || by.startsWith(`${role}.`));
  return {
    name: "S2 Budget",
    check(commit, state) {
      const { table, before, after } = commit;
      if (table !== "pods") return undefined;
      const place = placeOf(after ?? before ?? {});
      if (servesAt(state, place)) ours.delete(place);
      const wasServing = before !== undefined && isServing(before);
      if (!isOurs(commit) || !wasServing || servesAt(state, place)) return undefined;
      // What a set took that is gone by now cannot be given back.
      for (const other of ours) if (setOf(other) !== setOf(place)) ours.delete(other);
      ours.add(place);
      return ours.size > max ? `${[...ours].join(" and ")} are out of service by our doing; ${max} may be` : undefined;
    },
  };
}

/** S3: we write only to pods and revisions of a set that is or was there. */
export function writesOnlyOwn(roles: readonly string[]): Invariant {
  return {
    name: "S3 Owner",
    check({ table, key, by, before, after }) {
      if (table !== "pods" && table !== "controllerrevisions.apps") return undefined;
      if (!roles.some((role) => by.startsWith(`${role}.`))) return undefined;
      const owner = controllerOf(metaOf(after ?? before ?? {}));
      const was = before === undefined ? owner : controllerOf(metaOf(before));
      return owner !== "" && was === owner ? undefined : `${by} wrote to ${table} ${key}, which "${was}" controls`;
    },
  };
}

function isLive(pod: JsonObject): boolean {
  const { phase } = objectAt(pod, "status");
  return metaOf(pod).deletionTimestamp === undefined && phase !== "Failed" && phase !== "Succeeded";
}

/** Whether a pod was asked to go. */
export function isMarked(pod: JsonObject): boolean {
  return objectAt(metaOf(pod), "labels")[LIFECYCLE_STATE] === PREPARING_DELETE;
}

function servesAt(state: State, place: string): boolean {
  for (const pod of state.objects("pods")) if (placeOf(pod) === place && isServing(pod)) return true;
  return false;
}

function setOf(place: string): string {
  return place.slice(0, place.indexOf(" on node "));
}

function placeOf(pod: JsonObject): string {
  return `set ${controllerOf(metaOf(pod))} on node ${nodeOf(pod)}`;
}
