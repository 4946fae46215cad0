// S1: a set never has two pods on one node that are not about to end. It is the promise that drivers need and that the native
// DaemonSet controller does not give.
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
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
      for (const pod of state.objects("pods"))
        if (placeOf(pod, ownerKind) === place) there.push(textAt(metaOf(pod), "name"));
      return there.length > 1 ? `${place} has ${there.length} pods: ${there.join(", ")}` : undefined;
    },
  };
}

/** The set and the node of a pod that counts; undefined for one that ends, has no such controller or no node. */
function placeOf(pod: JsonObject, ownerKind: string | undefined): string | undefined {
  const meta = metaOf(pod);
  const phase = textAt(objectAt(pod, "status"), "phase");
  const isEnding = meta.deletionTimestamp !== undefined || phase === "Failed" || phase === "Succeeded";
  const owner = isEnding ? undefined : controllerIn(meta);
  const counts = owner !== undefined && (ownerKind === undefined || owner.kind === ownerKind);
  const node = counts ? nodeOf(objectAt(pod, "spec")) : "";
  return node === "" || owner === undefined ? undefined : `set ${textAt(owner, "uid")} on node ${node}`;
}

/** The UID of the controlling owner; empty when there is none. */
export function controllerOf(meta: JsonObject): string {
  return textAt(controllerIn(meta) ?? {}, "uid");
}

function controllerIn(meta: JsonObject): JsonObject | undefined {
  return listAt(meta, "ownerReferences")
    .filter(isJsonObject)
    .find((owner) => owner.controller === true);
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
