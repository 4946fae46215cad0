// Nodes of a set that are lost: they carry a pod of the set or should, and their kubelet does not report. They stay in scope, so that
// a fleet that is dead never looks complete; nothing is done to them until they are Ready again.
import type { Hold } from "../../../core/decision/plan.ts";
import { isAvailable, livingPods, type NodeView } from "../pods/node-pods.ts";
import type { Surveyed } from "./survey.ts";

/** Whether a node that should get no new pod now belongs to the set all the same. */
export function isStillInScope({ node, placement, ...pods }: NodeView): boolean {
  if (node.isLeaving || !placement.shouldContinueRunning) return false;
  return placement.isNodeLost || livingPods(pods).length > 0;
}

/** One hold per node that is not Ready and has no available pod. */
export function lostNodeHolds({ unsettled, others, set }: Surveyed, nowMs: number): readonly Hold[] {
  const isLost = (view: NodeView) =>
    view.node.ready !== true && !livingPods(view).some((pod) => isAvailable(pod, set.minReadySeconds, nowMs));
  return [...unsettled, ...others.filter(isStillInScope)].filter(isLost).map(holdOf);
}

function holdOf({ node, current }: NodeView): Hold {
  const because =
    current.length > 0
      ? "the node is not Ready, and its pod of the newest revision is not available"
      : "the node is not Ready; it gets its pod when it is back";
  return { node: node.name, reason: "NodeNotReady", because };
}
