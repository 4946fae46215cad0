// What must hold for a VariantSet after every write, whatever goes wrong. The numbers are those of the list of invariants in the design's
// facts: I4 one cell per node, I7 pruning by proof, I8 one budget, I9 only our labels, I14 one outcome per node.

import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant } from "../../simulator/commit.ts";
import {
  type createPlaces,
  DAEMON_SETS,
  isServing,
  KEY_LABEL,
  NODE_LABEL,
  type Place,
  SETS,
  UNAVAILABLE_MAX,
} from "./set-world.ts";

type Places = ReturnType<typeof createPlaces>;

const isOperator = ({ by }: Commit) => by.includes("operator");

/** I4: pods of two cells never stand on one node, not even one that is about to end beside one that starts. */
export const oneCellPerNode = (placesOf: Places): Invariant => ({
  name: "OneCellPerNode",
  check({ table, after }, state) {
    if (table !== "pods" || after === undefined) return undefined;
    const node = textAt(objectAt(after, "spec"), "nodeName");
    const place = placesOf(state).find(({ name }) => name === node);
    const keys = new Set(place?.pods.map(({ key }) => key));
    return keys.size > 1 ? `${node} has pods of ${[...keys].join(" and ")}` : undefined;
  },
});

/** A label that we write points to a DaemonSet that is there, or that somebody else deleted while the label was on its way. */
export function labelsPointToWorkloads(): Invariant {
  const deletedByOthers = new Set<string>();
  return {
    name: "LabelsPointToWorkloads",
    check(commit, state) {
      const { table, before, after } = commit;
      if (table === DAEMON_SETS) {
        const key = keyOf(after ?? before ?? {});
        if (after === undefined && !isOperator(commit)) deletedByOthers.add(key);
        else if (before === undefined) deletedByOthers.delete(key);
      }
      if (table !== "nodes" || after === undefined || !isOperator(commit)) return undefined;
      const key = labelOf(after);
      if (key === undefined || key === labelOf(before ?? {}) || deletedByOthers.has(key)) return undefined;
      const isThere = [...state.objects(DAEMON_SETS)].some((set) => keyOf(set) === key);
      return isThere ? undefined : `${commit.key} is bound to ${key}, which is not there`;
    },
  };
}

/** I9: on nodes we write our own label and nothing else. */
export const onlyOurLabels: Invariant = {
  name: "OnlyOurLabels",
  check(commit) {
    const { table, before, after } = commit;
    if (table !== "nodes" || !isOperator(commit)) return undefined;
    if (before === undefined || after === undefined) return `${commit.key} was made or deleted by the operator`;
    return foreignPart(before) === foreignPart(after) ? undefined : `${commit.key} was changed beyond our label`;
  },
};

/** I7: what we delete has no pod, and no node is bound to it. */
export const prunedByProof = (placesOf: Places): Invariant => ({
  name: "PrunedByProof",
  check(commit, state) {
    const { table, before, after } = commit;
    const isDeleted =
      after === undefined ||
      (metaOf(after).deletionTimestamp !== undefined && metaOf(before ?? {}).deletionTimestamp === undefined);
    if (table !== DAEMON_SETS || before === undefined || !isDeleted || !isOperator(commit)) return undefined;
    const key = keyOf(before);
    const places = placesOf(state);
    const bound = places.filter(({ boundTo }) => boundTo === key).map(({ name }) => name);
    const used = places.filter(({ pods }) => pods.some((pod) => pod.key === key)).map(({ name }) => name);
    return bound.length + used.length === 0
      ? undefined
      : `${commit.key} was deleted; bound: ${bound}; with pods: ${used}`;
  },
});

/** I6: the selector of a DaemonSet never changes. */
export const selectorsStay: Invariant = {
  name: "SelectorsStay",
  check({ table, key, before, after }) {
    if (table !== DAEMON_SETS || before === undefined || after === undefined) return undefined;
    const selector = (set: JsonObject) => canonicalJson(objectAt(objectAt(set, "spec"), "selector"));
    return selector(before) === selector(after) ? undefined : `the selector of ${key} changed`;
  },
};

/** I14: every node in scope is counted once. */
export const countsAddUp: Invariant = {
  name: "CountsAddUp",
  check({ table, key, after }) {
    if (table !== SETS || after === undefined) return undefined;
    const nodes = objectAt(objectAt(after, "status"), "nodes");
    const count = (name: string) => numberAt(nodes, name) ?? 0;
    const sum = count("fitted") + count("held") + count("unknown") + count("none");
    return sum === count("inScope") ? undefined : `${key} counts ${JSON.stringify(nodes)}`;
  },
};

/**
 * I8: nodes that serve are taken down by us only within the budget. It counts what we did and what has not come back since;
 * what befalls nodes by themselves is not ours, and nobody can see it at once.
 */
export function oneBudget(placesOf: Places): Invariant {
  const taken = new Set<string>();
  return {
    name: "OneBudget",
    check(commit, state) {
      const node = takenNode(commit);
      if (node === undefined && taken.size === 0) return undefined;
      const places = placesOf(state);
      for (const place of places) if (isBack(place)) taken.delete(place.name);
      for (const name of taken) if (!places.some((place) => place.name === name)) taken.delete(name);
      const place = places.find(({ name }) => name === node);
      if (node === undefined || place === undefined || !isAsked(place) || !wasServing(commit, place)) return undefined;
      taken.add(node);
      return taken.size > UNAVAILABLE_MAX ? `we have taken ${[...taken].sort().join(", ")}` : undefined;
    },
  };
}

/** The node that a write of ours takes from service. */
function takenNode(commit: Commit): string | undefined {
  const { table, before, after } = commit;
  if (!isOperator(commit) || before === undefined) return undefined;
  if (table === "nodes" && labelOf(before) !== undefined && after !== undefined && labelOf(after) !== labelOf(before))
    return commit.key;
  const isEnding = after === undefined || metaOf(after).deletionTimestamp !== undefined;
  if (table !== "pods" || !isEnding || metaOf(before).deletionTimestamp !== undefined) return undefined;
  return textAt(objectAt(before, "spec"), "nodeName");
}

/** Taking what serves nobody costs nothing: its DaemonSet was deleted, its pod is leaving or was never ready. */
function wasServing({ table, before = {} }: Commit, { pods }: Place): boolean {
  if (table === "pods") return isServing(before);
  return pods.some((pod) => pod.key === labelOf(before) && pod.isServing);
}

const isAsked = ({ resolved, isNodeReady }: Place) => resolved.wish.kind === "workload" && isNodeReady;
const isBack = (place: Place) =>
  !isAsked(place) || place.pods.some((pod) => pod.key === place.boundTo && pod.isServing);

function keyOf(workload: JsonObject): string {
  return textAt(objectAt(metaOf(workload), "labels"), KEY_LABEL);
}

function labelOf(node: JsonObject): string | undefined {
  const value = objectAt(metaOf(node), "labels")[NODE_LABEL];
  return typeof value === "string" ? value : undefined;
}

/** A node without what we may write, and without what every write changes. */
function foreignPart(node: JsonObject): string {
  const { resourceVersion: _version, managedFields: _fields, labels: _labels, ...meta } = metaOf(node);
  const { [NODE_LABEL]: _ours, ...labels } = objectAt(metaOf(node), "labels");
  return canonicalJson({ ...node, metadata: { ...meta, labels } });
}
