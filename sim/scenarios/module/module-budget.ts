// S2: nodes whose driver serves are taken by the operator only within the Module's budget. It counts what the operator took and what has
// not come back since; what befalls nodes by themselves is not its doing, and nobody can see it at once.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { FIT, moduleOfBinding } from "../../../src/kinds/module/module-labels.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { isEnding, isTrue, kernelOf, nameOf, nodeOf, wishOf } from "./module-wishes.ts";

/** The invariant for one history: it remembers. */
export function oneBudget(isOurs: (commit: Commit) => boolean, limit: number): Invariant {
  /** The kernels that they ran then, by node. */
  const taken = new Map<string, string>();
  return {
    name: "S2 Budget",
    check(commit, state) {
      const node = isOurs(commit) ? (takenNode(commit) ?? unboundNode(commit, state)) : undefined;
      if (node === undefined && taken.size === 0) return undefined;
      for (const [name, kernel] of taken) if (isBack(name, kernel, state)) taken.delete(name);
      if (node !== undefined && isAsked(node, state)) taken.set(node, kernelOf(state.object("nodes", node) ?? {}));
      return node !== undefined && taken.size > limit
        ? `it has taken ${[...taken.keys()].sort().join(", ")}`
        : undefined;
    },
  };
}

/** The node of a serving driver's pod that a write begins to end. */
function takenNode({ table, before, after }: Commit): string | undefined {
  if (table !== "pods" || before === undefined || !serves(before)) return undefined;
  return after === undefined || isEnding(after) ? nodeOf(before) : undefined;
}

/** A node that loses the label of a driver that serves there, for the kernel that it runs. */
function unboundNode({ table, before, after }: Commit, state: State): string | undefined {
  if (table !== "nodes" || before === undefined || after === undefined) return undefined;
  const [was, is] = [bindingsOf(before), bindingsOf(after)];
  const lost = [...was].find(([key, value]) => is.get(key) !== value && value === kernelOf(after));
  if (lost === undefined) return undefined;
  const name = nameOf(after);
  return [...state.objects("pods")].some((pod) => nodeOf(pod) === name && serves(pod)) ? name : undefined;
}

function bindingsOf(node: JsonObject): ReadonlyMap<string, unknown> {
  const labels = Object.entries(objectAt(metaOf(node), "labels"));
  return new Map(labels.filter(([key]) => moduleOfBinding(key) !== undefined));
}

/** One that has rebooted into another kernel since would be without its driver by that alone. */
function isBack(name: string, kernel: string, state: State): boolean {
  const isAnother = kernelOf(state.object("nodes", name) ?? {}) !== kernel;
  if (isAnother || !isAsked(name, state)) return true;
  return [...state.objects("pods")].some((pod) => nodeOf(pod) === name && serves(pod));
}

/** A node that should have the driver, and could: one with a taint is not counted on either. */
function isAsked(name: string, state: State): boolean {
  const node = state.object("nodes", name);
  if (node === undefined || !isTrue(node, "Ready") || wishOf(node, state) === undefined) return false;
  return listAt(objectAt(node, "spec"), "taints").length === 0;
}

function serves(pod: JsonObject): boolean {
  return textAt(objectAt(metaOf(pod), "labels"), FIT) !== "" && !isEnding(pod) && isTrue(pod, "Ready");
}
