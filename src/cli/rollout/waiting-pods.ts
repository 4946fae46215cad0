// The pods that a rollout waits for, by what keeps each of them: the kubelet says it of their containers.

import { objectIdentity, textIn } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { listOf, objectAt } from "../../kinds/schema/json-parts.ts";
import { NODES_SHOWN_MAX } from "../output/plan-report.ts";

export type WaitingPods = {
  readonly reason: string;
  /** The image that cannot be had, or that does not stay up; empty where it is something else. */
  readonly image: string;
  readonly count: number;
  /** The nodes of the first of them. */
  readonly nodes: readonly string[];
};

/** Groups the pods of an object that are not ready, its own and those of its DaemonSets. */
export function waitingPods(ownerUid: string, objects: readonly JsonObject[]): readonly WaitingPods[] {
  const owned = objects.filter((object) => objectIdentity(object).controllerUid === ownerUid);
  const owners = new Set([ownerUid, ...owned.map((object) => objectIdentity(object).uid)]);
  const waiting = objects.flatMap((object) => {
    const { controllerUid, isLeaving } = objectIdentity(object);
    if (object.kind !== "Pod" || isLeaving || !owners.has(controllerUid ?? "") || isReadyPod(object)) return [];
    return [{ ...keptBy(object), node: textIn(objectAt(object, "spec").nodeName) }];
  });
  const groups = Map.groupBy(waiting, ({ reason, image }) => `${reason} ${image}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const nodes = group.map(({ node }) => node).toSorted();
    return [{ reason: first.reason, image: first.image, count: group.length, nodes: nodes.slice(0, NODES_SHOWN_MAX) }];
  });
}

/** Whether its kubelet says that the pod is ready. */
export function isReadyPod(pod: JsonObject): boolean {
  const conditions = listOf(objectAt(pod, "status").conditions).filter(isJsonObject);
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** The pause between two pulls is no other trouble than the pull. */
function keptBy(pod: JsonObject): Pick<WaitingPods, "reason" | "image"> {
  const status = objectAt(pod, "status");
  const statuses = [...listOf(status.initContainerStatuses), ...listOf(status.containerStatuses)].filter(isJsonObject);
  for (const container of statuses) {
    const reason = textIn(objectAt(objectAt(container, "state"), "waiting").reason);
    if (reason !== "")
      return { reason: reason === "ImagePullBackOff" ? "ErrImagePull" : reason, image: textIn(container.image) };
  }
  const phase = textIn(status.phase);
  return { reason: phase === "" || phase === "Running" ? "NotReady" : phase, image: "" };
}
