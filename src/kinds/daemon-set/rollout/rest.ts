// Nodes at rest: what is decided about them is the same, however much time passes, until they or their pods change. A decision
// counts them and looks at all others.

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import { availableFromMs } from "../../../core/pod/daemon-pod.ts";
import { isSettledInPlace } from "../in-place/in-place.ts";
import { isPreparingDelete } from "../pods/lifecycle.ts";
import { type NodePods, type NodeView, podsOn } from "../pods/node-pods.ts";
import type { Placement } from "../resolve.ts";

export type Rest = {
  readonly is: /** Its only pod is the one that it should run, and serves. */
    | "fitted"
    /** Its only pod is another one, and serves until the strategy takes the node: that may ask for the time. */
    | "outdated"
    /** Its only pod is the one that it should run, and is not ready. */
    | "pending";
  /** The instant from which that is so, in wall ms. Before it, time makes a difference. */
  readonly fromMs: number;
};

/** Whether the node should run a pod. */
export function isDesired({ isLeaving }: NodeFacts, { shouldRun }: Placement): boolean {
  return shouldRun && !isLeaving;
}

/** How a node rests, told without the clock; undefined for one that has to be looked at in every decision. */
export function restOf(
  { node, placement, ...pods }: NodePods & { readonly node: NodeFacts; readonly placement: Placement },
  minReadySeconds: number,
): Rest | undefined {
  if (!isDesired(node, placement) || !placement.rendering.ok) return undefined;
  const { current, old, currentStanding } = pods;
  const pod = current[0] ?? old[0];
  if (pod === undefined || podsOn(pods).length > 1 || isPreparingDelete(pod) || !isSettledInPlace(pod))
    return undefined;
  const fromMs = availableFromMs(pod, minReadySeconds);
  if (current.length === 0) return fromMs === undefined ? undefined : { is: "outdated", fromMs };
  if (currentStanding !== "current") return undefined;
  return fromMs === undefined ? { is: "pending", fromMs: 0 } : { is: "fitted", fromMs };
}

/** How the node rests now; undefined when something has to be done for it, or may have to be when time has passed. */
export function restAt({ rest }: NodeView, nowMs: number): Rest["is"] | undefined {
  return rest !== undefined && rest.fromMs <= nowMs ? rest.is : undefined;
}
