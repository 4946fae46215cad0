// How a kubelet's decision about a pod reaches the API: the status first, then the confirmation of its end.
import { isConflict, isNotFound } from "../../../src/kube/client/api-error.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { type ApiPodStatus, PODS } from "../api-shapes.ts";
import type { PodDecision } from "./decide-pod.ts";
import type { PodView } from "./pod-view.ts";

/** Performs a decision. A pod that is gone, or replaced under the same name, has nothing to be told any more. */
export async function performDecision(client: Client, pod: PodView, decision: PodDecision): Promise<void> {
  try {
    if (decision.status !== undefined) {
      // The UID makes sure that a successor of the same name does not get this pod's status.
      const body = { metadata: { uid: pod.uid }, status: patchOf(decision.status) };
      await client.patch(PODS, pod.key, { type: "strategic", body }, { subresource: "status", repeatable: true });
    }
    if (decision.isGone) await client.remove(PODS, pod.key, { uid: pod.uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Lists of addresses merge by address, so that a machine that came back under another one would have two. */
function patchOf(status: ApiPodStatus): Readonly<Record<string, unknown>> {
  const replaced = (addresses: readonly unknown[] = []) => [...addresses, { $patch: "replace" }];
  return { ...status, hostIPs: replaced(status.hostIPs), podIPs: replaced(status.podIPs) };
}
