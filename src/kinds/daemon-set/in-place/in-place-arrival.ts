// Whether the kubelet has done its part of an update in place. Any sign is taken: a hang would keep the pod out of service for ever,
// while a sign too early costs a moment, in which the kubelet itself says that the container is not ready.

import { textIn } from "../../../core/decision/object-identity.ts";
import type { Json, JsonObject } from "../../../core/json/json.ts";
import type { ContainerState } from "../../../core/pod/container-state.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { compareQuantities, parseQuantity } from "../../../core/values/quantity.ts";
import { objectAt } from "../../schema/json-parts.ts";
import type { InPlaceState } from "./in-place-state.ts";

/** The containers that were told to change and were not seen to have done so. */
export function unarrivedContainers(pod: DaemonPod, state: InPlaceState): readonly string[] {
  return Object.keys(state.before).filter((name) => !isArrived(containerOf(pod, name), name, state));
}

/** Whether the kubelet reports these resources for their containers. */
export function areResourcesSetUp(pod: DaemonPod, resources: InPlaceState["resources"]): boolean {
  return Object.entries(resources).every(([name, wanted]) => {
    const reported = containerOf(pod, name)?.resources;
    return reported !== undefined && ["limits", "requests"].every((part) => holdsAmounts(reported, wanted, part));
  });
}

/** What is reported of a container; undefined before its first report. */
export function containerOf({ containers }: DaemonPod, name: string): ContainerState | undefined {
  return containers.find((container) => container.name === name);
}

/** Equal digests, or a runtime that tells images by another name, leave only the restart itself as a sign. */
function isArrived(now: ContainerState | undefined, name: string, { before, images, sinceMs }: InPlaceState): boolean {
  if (now === undefined || now.isWaiting) return false;
  const was = before[name];
  const hasNewImage = now.imageId !== "" && now.imageId !== was?.imageId;
  const hasRestarted = now.containerId !== "" && was?.containerId !== "" && now.containerId !== was?.containerId;
  const isStartedSince = now.startedAtMs !== undefined && sinceMs !== undefined && now.startedAtMs > sinceMs;
  return hasNewImage || hasRestarted || isStartedSince || isNamed(now.image, images[name]);
}

function isNamed(reported: string, wanted: string | undefined): boolean {
  return wanted !== undefined && (reported === wanted || reported === `${wanted}:latest`);
}

function holdsAmounts(reported: JsonObject, wanted: JsonObject, part: string): boolean {
  const amounts = Object.entries(objectAt(wanted, part)).filter(([name]) => name === "cpu" || name === "memory");
  return amounts.every(([name, amount]) => isEqualAmount(objectAt(reported, part)[name], amount));
}

function isEqualAmount(a: Json | undefined, b: Json | undefined): boolean {
  const [left, right] = [parseQuantity(textIn(a)), parseQuantity(textIn(b))];
  return left.ok && right.ok && compareQuantities(left.value, right.value) === 0;
}
