// A workload: one DaemonSet of Kubernetes' own that we keep, as decisions see it.

import { countIn, type ObjectIdentity, objectIdentity } from "../decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";

export type Workload = ObjectIdentity & {
  readonly spec: JsonObject;
  readonly status: WorkloadCounts;
};

/** What the DaemonSet controller says of it; only true of the generation that it names. */
export type WorkloadCounts = {
  readonly observedGeneration: number;
  readonly desired: number;
  readonly current: number;
  readonly misscheduled: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
};

/** Reads a DaemonSet object of whatever shape; never throws. */
export function parseWorkload(object: JsonObject): Workload {
  const status = isJsonObject(object.status) ? object.status : {};
  return {
    ...objectIdentity(object),
    spec: isJsonObject(object.spec) ? object.spec : {},
    status: {
      observedGeneration: countIn(status.observedGeneration),
      desired: countIn(status.desiredNumberScheduled),
      current: countIn(status.currentNumberScheduled),
      misscheduled: countIn(status.numberMisscheduled),
      updated: countIn(status.updatedNumberScheduled),
      ready: countIn(status.numberReady),
      available: countIn(status.numberAvailable),
    },
  };
}

/** Whether it counts more pods than are seen: a watch may be deaf for a while, and those counts come by another one. */
export function hasUnseenPods({ status }: Workload, seenPods: number): boolean {
  return status.current + status.misscheduled > seenPods;
}
