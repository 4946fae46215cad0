// A Module that was deleted and made anew under its name: DaemonSets of the one before select nodes by the very same label until they are
// collected. Nothing is made and no node is bound before they are gone; what nodes were bound to is let go.

import type { Snapshot, StoredObject } from "../../../core/decision/snapshot.ts";
import type { FamilyWorkload } from "../../../core/rollout/berth.ts";
import type { Workload } from "../../../core/rollout/workload.ts";
import { FIT, labelIn, MODULE_NAME } from "../module-labels.ts";
import type { BroughtDrivers } from "./bring-drivers.ts";

const COLLECTED_LOOK_MS = 1_000;

/** The driver's DaemonSets that a Module of the same name has left, and that nobody has collected yet. */
export function predecessorsOf({ namespace, name, uid }: StoredObject, snapshot: Snapshot): readonly Workload[] {
  const named = snapshot.workloadsLabelled(namespace, MODULE_NAME, name);
  return named.filter(
    ({ controllerUid, labels }) =>
      controllerUid !== undefined && controllerUid !== uid && labelIn(labels, FIT) !== undefined,
  );
}

/** When to look whether they are gone: their end is no event of this Module. */
export function collectedByMs(predecessors: readonly Workload[], nowMs: number): number | undefined {
  return predecessors.length === 0 ? undefined : nowMs + COLLECTED_LOOK_MS;
}

/** What is brought while they are there: nothing new, and nobody is bound to what is there. */
export function behindPredecessors(predecessors: readonly Workload[], brought: BroughtDrivers): BroughtDrivers {
  const [first] = predecessors;
  if (first === undefined) return brought;
  const because = `DaemonSet ${first.name} of a Module of the same name, which is gone, is still there`;
  const wait: FamilyWorkload["wait"] = { reason: "HandOver", because };
  const family = new Map<string, FamilyWorkload>();
  for (const [key, workload] of brought.family) {
    family.set(key, { ...workload, exists: workload.exists && !brought.makers.has(key), wait });
  }
  return { ...brought, steps: [], makers: new Map(), done: new Map(), family };
}
