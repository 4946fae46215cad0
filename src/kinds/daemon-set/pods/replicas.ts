// The desired number of pods where a disruption budget looks for it. The disruption controller of Kubernetes asks the owner of a pod for its
// scale, which can only be read from a field of the spec; a set that has the field gets it kept, and no other set is ever written to.
import type { PatchStep } from "../../../core/decision/step.ts";
import type { Observed } from "../observe.ts";
import { setRef } from "./claim.ts";

/** The write that puts the number right, if the set has the field and it says another number. */
export function replicasSteps({ object, set, desired }: Observed): readonly PatchStep[] {
  if (set.replicas === undefined || set.replicas === desired.length) return [];
  return [
    {
      ...{ do: "patch", target: setRef(object), subresource: "scale", patchType: "merge" },
      patch: { spec: { replicas: desired.length } },
      why: `${desired.length} nodes should run a pod, which disruption budgets read from spec.replicas`,
    },
  ];
}
