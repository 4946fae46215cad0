// How the control plane ends a pod against the will of its owner: its status says why before it is deleted.
import { timestamp } from "../../src/core/decision/conditions.ts";
import { PODS } from "./api-resources.ts";
import type { PodView } from "./pod-view.ts";
import type { Write } from "./write.ts";

export type Disruption = { readonly reason: string; readonly message: string; readonly phase?: "Failed" };

/** The note in the pod's status; to be written before the pod is deleted. */
export function noteDisruption(pod: PodView, { reason, message, phase }: Disruption, nowMs: number): Write {
  const condition = { type: "DisruptionTarget", status: "True", reason, message, lastTransitionTime: timestamp(nowMs) };
  const status = { conditions: [condition], ...(phase === undefined ? {} : { phase }) };
  const body = { metadata: { uid: pod.uid }, status };
  return { do: "patch", resource: PODS, key: pod.key, patch: { type: "strategic", body }, subresource: "status" };
}

/** The delete itself: by the pod's own grace period, or at once where no kubelet is left to wait for. */
export function deletePod({ key, uid }: PodView, how: { readonly isForced: boolean }): Write {
  const options = how.isForced ? { options: { gracePeriodSeconds: 0 } } : {};
  return { do: "delete", resource: PODS, key, uid, ...options };
}
