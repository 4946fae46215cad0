// Driver DaemonSets that no node needs any more: their kernel has left the cluster, or no mapping gives it an image.

import type { Step } from "../../../core/decision/step.ts";
import { prune } from "../../../core/rollout/prune.ts";
import type { Observed } from "../observe.ts";
import type { Survey } from "../survey.ts";

/** How long nobody must have needed a DaemonSet. A node that reboots is often back sooner. */
export const PRUNE_GRACE_MS = 60_000;

export type PrunedDrivers = { readonly steps: readonly Step[]; readonly lookAgainAtMs: number | undefined };

/** Decides about all driver DaemonSets that the Module controls. */
export function pruneDrivers({ stored, drivers, fits }: Observed, { bound }: Survey, nowMs: number): PrunedDrivers {
  const steps: Step[] = [];
  let lookAgainAtMs = Number.POSITIVE_INFINITY;
  for (const { workload, key, pods } of drivers.values()) {
    if (workload.controllerUid !== stored.uid) continue;
    const use = { isWanted: fits.has(key), boundNodes: bound.get(key) ?? 0, pods: pods.length };
    const answer = prune(workload, use, PRUNE_GRACE_MS, nowMs);
    if (answer.step !== undefined) steps.push(answer.step);
    lookAgainAtMs = Math.min(lookAgainAtMs, answer.lookAgainAtMs ?? lookAgainAtMs);
  }
  return { steps, lookAgainAtMs: lookAgainAtMs === Number.POSITIVE_INFINITY ? undefined : lookAgainAtMs };
}
