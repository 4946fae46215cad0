// The counts in a DaemonSet's status, each as the real controller counts it: per node, by the oldest pod there.
import { matchDaemonEligibility } from "../../../src/core/scheduling/daemon-eligibility.ts";
import { numberAt } from "../../api-server/api-object.ts";
import { isAvailable } from "../pod-view.ts";
import { byAge, type DaemonSetSight, isUpdated } from "./decide-daemon-pods.ts";

export type DaemonSetCounts = {
  readonly desiredNumberScheduled: number;
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly updatedNumberScheduled: number;
  readonly numberAvailable: number;
  readonly numberUnavailable: number;
};

export type CountsDecision = {
  readonly counts: DaemonSetCounts;
  /** When the next ready pod becomes available. */
  readonly againInMs: number | undefined;
};

/** Counts the pods of a set. */
export function countDaemonPods(sight: DaemonSetSight): CountsDecision {
  const { set, nodes, podsByNode, hash, nowMs } = sight;
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0];
  let againInMs: number | undefined;
  for (const node of nodes) {
    const pods = podsByNode.get(node.name) ?? [];
    if (!matchDaemonEligibility(set.eligibility, node).shouldRun) {
      if (pods.length > 0) misscheduled += 1;
      continue;
    }
    desired += 1;
    const [pod] = pods.toSorted(byAge);
    if (pod === undefined) continue;
    current += 1;
    if (isUpdated(pod, set, hash)) updated += 1;
    if (!pod.isReady) continue;
    ready += 1;
    if (isAvailable(pod, set.minReadySeconds, nowMs)) available += 1;
    else againInMs = Math.min(againInMs ?? Infinity, pod.readySinceMs + set.minReadySeconds * 1000 - nowMs);
  }
  const counts = {
    ...{ desiredNumberScheduled: desired, currentNumberScheduled: current, numberMisscheduled: misscheduled },
    ...{ numberReady: ready, updatedNumberScheduled: updated, numberAvailable: available },
    numberUnavailable: desired - available,
  };
  return { counts, againInMs };
}

/** The status to write, or undefined when the stored one says the same; a generation that was only looked at is not observed. */
export function decideStatus(
  { set }: DaemonSetSight,
  counts: DaemonSetCounts,
  { isProcessed }: { readonly isProcessed: boolean },
): Readonly<Record<string, number>> | undefined {
  const isSame = Object.entries(counts).every(([key, count]) => (numberAt(set.status, key) ?? 0) === count);
  const observed = numberAt(set.status, "observedGeneration") ?? 0;
  if (isSame && observed >= set.generation) return undefined;
  return isProcessed ? { ...counts, observedGeneration: set.generation } : counts;
}
