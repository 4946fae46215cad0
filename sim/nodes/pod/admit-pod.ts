// Whether a kubelet takes a pod that is bound to its node: it looks again at what the scheduler has looked at, with its own
// picture of the node. Mirrors the general predicates of the real kubelet, in their order; of resources it counts pods only.
import {
  compileNodeAffinity,
  matchNodeAffinity,
  type NodeIdentity,
} from "../../../src/core/scheduling/node-affinity.ts";
import { findUntoleratedTaint, parseTolerations, type Taint } from "../../../src/core/scheduling/taints.ts";
import type { PodView } from "./pod-view.ts";

/** Why a pod is refused, in the words of the real kubelet. */
export type Rejection = { readonly reason: string; readonly message: string };

export type Premises = {
  readonly node: NodeIdentity & { readonly taints: readonly Taint[] };
  readonly podsMax: number;
  /** Other pods on the node that have not ended. */
  readonly podsHere: number;
};

const EVICTING = ["NoExecute"];
const GATES = { comparisonOperators: false };

/** The reason to refuse a pod, or undefined when it is admitted. */
export function admitPod({ placement }: PodView, { node, podsMax, podsHere }: Premises): Rejection | undefined {
  if (podsHere >= podsMax) {
    const amounts = `requested: 1, used: ${podsHere}, capacity: ${podsMax}`;
    return rejection("OutOfpods", `Node didn't have enough resource: pods, ${amounts}`);
  }
  if (!matchNodeAffinity(compileNodeAffinity(placement), node))
    return rejection(
      "NodeAffinity",
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    );
  const tolerations = parseTolerations(placement.tolerations, GATES);
  if (findUntoleratedTaint(node.taints, tolerations, EVICTING) !== undefined)
    return rejection("TaintToleration", "Predicate TaintToleration failed: node(s) had untolerated taints");
  return undefined;
}

function rejection(reason: string, message: string): Rejection {
  return { reason, message: `Pod was rejected: ${message}` };
}
