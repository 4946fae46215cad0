// Driver DaemonSets that no node needs any more: their kernel has left the cluster, or no mapping gives it an image.
import { prune } from "../../core/prune.ts";
import type { Step } from "../../core/step.ts";
import { bindingLabel, labelIn } from "./module-labels.ts";
import type { Observed } from "./observe.ts";

/** How long nobody must have needed a DaemonSet. A node that reboots is often back sooner. */
export const PRUNE_GRACE_MS = 60_000;

export type PrunedDrivers = { readonly steps: readonly Step[]; readonly lookAgainAtMs: number | undefined };

/** Decides about all driver DaemonSets that the Module controls. */
export function pruneDrivers({ known, stored, drivers, fits, snapshot }: Observed, nowMs: number): PrunedDrivers {
  const steps: Step[] = [];
  let lookAgainAtMs = Number.POSITIVE_INFINITY;
  const unwanted = [...drivers.values()].filter(({ workload }) => workload.controllerUid === stored.uid);
  const bound = unwanted.some(({ key }) => !fits.has(key))
    ? boundCounts(snapshot.nodes, bindingLabel(known.module))
    : NOBODY;
  for (const { workload, key, pods } of unwanted) {
    const use = { isWanted: fits.has(key), boundNodes: bound.get(key) ?? 0, pods: pods.length };
    const answer = prune(workload, use, PRUNE_GRACE_MS, nowMs);
    if (answer.step !== undefined) steps.push(answer.step);
    lookAgainAtMs = Math.min(lookAgainAtMs, answer.lookAgainAtMs ?? lookAgainAtMs);
  }
  return { steps, lookAgainAtMs: lookAgainAtMs === Number.POSITIVE_INFINITY ? undefined : lookAgainAtMs };
}

const NOBODY: ReadonlyMap<string, number> = new Map();

/** How many nodes are bound to what, whatever their taints and readiness. */
function boundCounts(nodes: Observed["snapshot"]["nodes"], label: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { labels } of nodes) {
    const key = labelIn(labels, label);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
