// A node as the controllers see it: its labels and taints, and what its kubelet last said.
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { parseTaints, type Taint } from "../../src/core/scheduling/taints.ts";
import type { Stored } from "../../src/kube/resource.ts";
import { listAt } from "../api-server/api-object.ts";
import type { ApiObject } from "./api-resources.ts";
import { type ObjectView, parseObjectView } from "./object-view.ts";

export type NodeView = ObjectView & {
  readonly taints: readonly Taint[];
  /** The taints as they stand in the object, with the times that belong to them. */
  readonly storedTaints: readonly JsonObject[];
  readonly isUnschedulable: boolean;
  /** All that decides which pods fit, as text to compare. */
  readonly placement: string;
  readonly conditions: readonly JsonObject[];
};

/** Reads a node. */
export function parseNode(node: Stored<ApiObject>): NodeView {
  const [spec = {}, status = {}] = [node.spec, node.status];
  const view = parseObjectView(node);
  const taints = parseTaints(spec.taints);
  const isUnschedulable = spec.unschedulable === true;
  return {
    ...view,
    taints,
    storedTaints: listAt(spec, "taints").filter(isJsonObject),
    isUnschedulable,
    placement: JSON.stringify([Object.entries(view.labels).sort(), taints, isUnschedulable]),
    conditions: listAt(status, "conditions").filter(isJsonObject),
  };
}

/** True when a pod could fit a node now that did not before, or the other way round. Heartbeats are no such change. */
export function changesPlacement(was: NodeView | undefined, now: NodeView | undefined): boolean {
  return was?.placement !== now?.placement;
}
