// S1: a set never has two pods on one node that are not about to end. It is the promise that drivers need and that the native
// DaemonSet controller does not give.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Invariant } from "../commit.ts";

/** Pods of one controller on one node, counted after every write of a pod; only controllers of one kind, if it is named. */
export function atMostOne(ownerKind?: string): Invariant {
  return {
    name: "AtMostOne",
    check({ table, after }, state) {
      const place = table === "pods" && after !== undefined ? placeOf(after, ownerKind) : undefined;
      if (place === undefined) return undefined;
      const there: string[] = [];
      for (const pod of state.objects("pods")) if (isAt(pod, place)) there.push(textAt(metaOf(pod), "name"));
      const { set, node } = place;
      return there.length > 1 ? `set ${set} on node ${node} has ${there.length} pods: ${there.join(", ")}` : undefined;
    },
  };
}

type Place = { readonly set: string; readonly node: string };

/** The set and the node of a pod that counts; undefined for one that ends, has no such controller or no node. */
function placeOf(pod: JsonObject, ownerKind: string | undefined): Place | undefined {
  const owner = isEnding(pod) ? undefined : controllerIn(metaOf(pod));
  const counts = owner !== undefined && (ownerKind === undefined || owner.kind === ownerKind);
  const node = counts ? nodeOf(objectAt(pod, "spec")) : "";
  return node === "" || owner === undefined ? undefined : { set: textAt(owner, "uid"), node };
}

/** The node is asked first: it is asked of every pod after every write of one, and most are elsewhere. */
function isAt(pod: JsonObject, { set, node }: Place): boolean {
  return nodeOf(objectAt(pod, "spec")) === node && !isEnding(pod) && controllerOf(metaOf(pod)) === set;
}

function isEnding(pod: JsonObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  return metaOf(pod).deletionTimestamp !== undefined || phase === "Failed" || phase === "Succeeded";
}

/** The UID of the controlling owner; empty when there is none. */
export function controllerOf(meta: JsonObject): string {
  return textAt(controllerIn(meta) ?? {}, "uid");
}

function controllerIn(meta: JsonObject): JsonObject | undefined {
  for (const owner of listAt(meta, "ownerReferences"))
    if (isJsonObject(owner) && owner.controller === true) return owner;
  return undefined;
}

/** The node that a pod runs on, or the only one that it may run on. */
function nodeOf(spec: JsonObject): string {
  const bound = textAt(spec, "nodeName");
  if (bound !== "") return bound;
  const required = objectAt(
    objectAt(objectAt(spec, "affinity"), "nodeAffinity"),
    "requiredDuringSchedulingIgnoredDuringExecution",
  );
  const terms = listAt(required, "nodeSelectorTerms").filter(isJsonObject);
  const fields = terms.length === 1 ? listAt(terms[0] ?? {}, "matchFields").filter(isJsonObject) : [];
  const byName = fields.find((field) => field.key === "metadata.name");
  const [name] = byName === undefined ? [] : listAt(byName, "values");
  return typeof name === "string" ? name : "";
}
