// Which pods a controller holds: its own that still match its selector. It takes in strays that match and lets go of those
// that no longer do, as Kubernetes' controllers claim pods by owner reference.
import { type LabelSelector, matchLabels } from "../../src/core/labels/label-selector.ts";
import type { OwnerReference } from "../../src/kube/resource.ts";
import { PODS } from "./api-resources.ts";
import type { PodView } from "./pod-view.ts";
import type { Write } from "./write.ts";

export type Claim = {
  readonly owner: OwnerReference;
  readonly selector: LabelSelector;
  /** Pods whose controller it is. */
  readonly own: Iterable<PodView>;
  /** Pods of its namespace without a controller. */
  readonly strays: Iterable<PodView>;
};

/** Returns the pods that count now, and the writes that make references follow labels. */
export function decideClaims(claim: Claim): { readonly pods: readonly PodView[]; readonly writes: readonly Write[] } {
  const { owner, selector, own, strays } = claim;
  const pods: PodView[] = [];
  const writes: Write[] = [];
  for (const pod of own) {
    if (matchLabels(selector, pod.labels)) pods.push(pod);
    else if (!pod.isTerminating) writes.push(release(pod, owner));
  }
  for (const pod of strays) {
    if (!pod.isTerminating && matchLabels(selector, pod.labels)) writes.push(adopt(pod, owner));
  }
  return { pods, writes };
}

function adopt(pod: PodView, owner: OwnerReference): Write {
  const metadata = { uid: pod.uid, ownerReferences: [owner] };
  return { do: "patch", resource: PODS, key: pod.key, patch: { type: "strategic", body: { metadata } } };
}

function release(pod: PodView, { uid }: OwnerReference): Write {
  const metadata = { uid: pod.uid, ownerReferences: [{ $patch: "delete", uid }] };
  return { do: "patch", resource: PODS, key: pod.key, patch: { type: "strategic", body: { metadata } } };
}
