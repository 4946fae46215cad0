// S2: nodes whose driver serves are taken by the operator only within the Module's budget. It counts what the operator took and what has
// not come back since; what befalls nodes by themselves is not its doing, and nobody can see it at once.
import { listAt, metaOf, objectAt, textAt } from "../../../sim/api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../../sim/simulator/commit.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { FIT } from "../../../src/kinds/module/module-labels.ts";
import { MAPPED, SCOPE } from "./simulated-module.ts";

/** The invariant for one history: it remembers. */
export function oneBudget(isOurs: (commit: Commit) => boolean, limit: number): Invariant {
  const taken = new Set<string>();
  return {
    name: "OneBudget",
    check(commit, state) {
      const node = isOurs(commit) ? takenNode(commit) : undefined;
      if (node === undefined && taken.size === 0) return undefined;
      for (const name of taken) if (isBack(name, state)) taken.delete(name);
      if (node !== undefined && isAsked(node, state)) taken.add(node);
      return node !== undefined && taken.size > limit ? `it has taken ${[...taken].sort().join(", ")}` : undefined;
    },
  };
}

/** The node of a serving driver's pod that a write begins to end. */
function takenNode({ table, before, after }: Commit): string | undefined {
  if (table !== "pods" || before === undefined || !serves(before)) return undefined;
  return after === undefined || isEnding(after) ? textAt(objectAt(before, "spec"), "nodeName") : undefined;
}

function isBack(name: string, state: State): boolean {
  if (!isAsked(name, state)) return true;
  return [...state.objects("pods")].some((pod) => textAt(objectAt(pod, "spec"), "nodeName") === name && serves(pod));
}

function isAsked(name: string, state: State): boolean {
  const node = state.object("nodes", name);
  if (node === undefined || !isTrue(node, "Ready")) return false;
  const kernel = textAt(objectAt(objectAt(node, "status"), "nodeInfo"), "kernelVersion");
  return textAt(objectAt(metaOf(node), "labels"), SCOPE) === "yes" && MAPPED.includes(kernel);
}

function serves(pod: JsonObject): boolean {
  return textAt(objectAt(metaOf(pod), "labels"), FIT) !== "" && !isEnding(pod) && isTrue(pod, "Ready");
}

function isTrue(object: JsonObject, type: string): boolean {
  const conditions = listAt(objectAt(object, "status"), "conditions").filter(isJsonObject);
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}

function isEnding(pod: JsonObject): boolean {
  return metaOf(pod).deletionTimestamp !== undefined;
}
