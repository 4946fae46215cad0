// How the observer and the oracles read pods: of each only where it is, what it runs, and whether it is ready.
import { isJsonList, isJsonObject, type Json } from "../../src/core/json/json.ts";
import type { Stored } from "../../src/kube/resource.ts";
import { type Body, NAMESPACE, pods } from "./resources.ts";

export type SeenPod = {
  readonly key: string;
  readonly uid: string;
  /** Empty until it is bound. */
  readonly node: string;
  /** Of its first container. */
  readonly image: string;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
};

/** The options of a cache of the story's pods. */
export const podFeed = {
  resource: pods,
  namespace: NAMESPACE,
  project: seenPod,
  unread: [
    ...["spec.volumes", "spec.tolerations", "spec.initContainers", "spec.affinity"],
    ...["status.containerStatuses", "status.podIPs", "status.hostIPs"],
  ],
};

function seenPod({ metadata, spec, status }: Stored<Body>): SeenPod {
  const [container] = isJsonList(spec?.containers) ? spec.containers : [];
  return {
    ...{ key: `${metadata.namespace}/${metadata.name}`, uid: metadata.uid },
    node: typeof spec?.nodeName === "string" ? spec.nodeName : "",
    image: isJsonObject(container) ? String(container.image) : "",
    isReady: isJsonList(status?.conditions) && status.conditions.some(saysReady),
    isLeaving: metadata.deletionTimestamp !== undefined,
  };
}

function saysReady(condition: Json): boolean {
  return isJsonObject(condition) && condition.type === "Ready" && condition.status === "True";
}
