// Which old daemon pods make room for new ones now: the rolling update of the DaemonSet controller, within maxUnavailable or,
// when surging, within maxSurge. It runs when the manage step has nothing to do.

import { type UpdateCounts, updateCounts } from "../../../src/core/rollout/update-counts.ts";
import { matchDaemonEligibility } from "../../../src/core/scheduling/daemon-eligibility.ts";
import type { NodeView } from "../node-view.ts";
import { isAvailable, type PodView } from "../pod-view.ts";
import { type DaemonSetSight, isUpdated, type PodMoves } from "./decide-daemon-pods.ts";

/** The pods of a node that are not being deleted: one of each kind, or too many for this step to judge. */
type NodePods =
  | { readonly isClear: false }
  | { readonly isClear: true; readonly old: PodView | undefined; readonly fresh: PodView | undefined };

const nothing: PodMoves = { create: [], remove: [] };

/** Decides the next moves of a rolling update; none when the limits cannot be read. */
export function decideRollingUpdate(sight: DaemonSetSight): PodMoves {
  const { set } = sight;
  const wanted = sight.nodes.filter((node) => shouldRun(sight, node));
  const limits = { maxUnavailable: set.maxUnavailable, maxSurge: set.maxSurge };
  const counts = updateCounts(limits, wanted.length, "spec.updateStrategy.rollingUpdate");
  if (!counts.ok) return nothing;
  const nodeNames = new Set([...sight.podsByNode.keys(), ...wanted.map(({ name }) => name)]);
  const byNode = [...nodeNames].map((name) => [name, podsOf(sight, name)] as const);
  return counts.value.maxSurge === 0
    ? replaceInPlace(sight, byNode, counts.value)
    : surge(sight, byNode, { maxSurge: counts.value.maxSurge, desired: wanted.length });
}

function shouldRun({ set }: DaemonSetSight, node: NodeView): boolean {
  return matchDaemonEligibility(set.eligibility, node).shouldRun;
}

function podsOf({ set, hash, podsByNode }: DaemonSetSight, nodeName: string): NodePods {
  const living = (podsByNode.get(nodeName) ?? []).filter((pod) => !pod.isTerminating);
  const fresh = living.filter((pod) => isUpdated(pod, set, hash));
  const old = living.filter((pod) => !fresh.includes(pod));
  if (fresh.length > 1 || old.length > 1) return { isClear: false };
  return { isClear: true, old: old[0], fresh: fresh[0] };
}

type ByNode = readonly (readonly [nodeName: string, pods: NodePods])[];

/** Old pods that are down cost nothing; of the others so many go that no more than maxUnavailable nodes are without. */
function replaceInPlace(sight: DaemonSetSight, byNode: ByNode, { maxUnavailable }: UpdateCounts): PodMoves {
  const isUp = (pod: PodView) => isAvailable(pod, sight.set.minReadySeconds, sight.nowMs);
  const down: PodView[] = [];
  const candidates: PodView[] = [];
  let unavailable = 0;
  for (const [, pods] of byNode) {
    const [old, fresh] = pods.isClear ? [pods.old, pods.fresh] : [undefined, undefined];
    const hasOne = (old === undefined) !== (fresh === undefined);
    if (!hasOne) unavailable += 1;
    else if (fresh !== undefined) unavailable += isUp(fresh) ? 0 : 1;
    else if (old !== undefined && isUp(old)) candidates.push(old);
    else if (old !== undefined) {
      down.push(old);
      unavailable += 1;
    }
  }
  const room = Math.max(0, maxUnavailable - unavailable);
  return { create: [], remove: [...down, ...candidates.slice(0, room)] };
}

/** New pods beside old ones, at most maxSurge at a time; an old one goes when its successor is available. */
function surge(
  sight: DaemonSetSight,
  byNode: ByNode,
  { maxSurge, desired }: { readonly maxSurge: number; readonly desired: number },
): PodMoves {
  const isUp = (pod: PodView | undefined) =>
    pod !== undefined && isAvailable(pod, sight.set.minReadySeconds, sight.nowMs);
  const nodes = new Map(sight.nodes.map((node) => [node.name, node]));
  const remove: PodView[] = [];
  const sunset: PodView[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const [name, pods] of byNode) {
    if (!pods.isClear) {
      surging += 1;
      continue;
    }
    const { old, fresh } = pods;
    if (isUp(old ?? fresh)) available += 1;
    if (old === undefined) continue;
    if (fresh !== undefined) {
      if (isUp(fresh)) remove.push(old);
      else surging += 1;
      continue;
    }
    const node = nodes.get(name);
    // Pods of a node that is gone are left to the pod garbage collector.
    if (node === undefined) continue;
    if (shouldRun(sight, node)) (isUp(old) ? candidates : urgent).push(name);
    else (isUp(old) ? sunset : remove).push(old);
  }
  // On nodes that fell out of scope a pod goes only when one elsewhere has taken over.
  const spare = Math.max(0, available - desired);
  const room = Math.max(0, maxSurge - surging);
  return { create: [...urgent, ...candidates.slice(0, room)], remove: [...remove, ...sunset.slice(0, spare)] };
}
