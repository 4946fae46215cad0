// The readiness gates of a set's pods. A pod that is updated in place leaves the service while its gate is closed; a pod that
// Kruise's webhook gave a gate of its own waits for somebody to open it, and without Kruise that is us.
import { timestamp } from "../../../core/decision/conditions.ts";
import type { PatchStep } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import type { ReadinessGate } from "../../../core/pod/readiness-gate.ts";
import { fencedPatch } from "../pods/fenced-steps.ts";
import { IN_PLACE_GATE } from "../pods/pod-keys.ts";

/** The gate that Kruise's webhook puts into pods of its kinds. */
export const KRUISE_POD_READY = "KruisePodReady";
const START_REASON = "StartInPlaceUpdate";

/** The gate of updates in place; undefined for a pod that has none and cannot be updated so. */
export function inPlaceGate({ gates }: DaemonPod): ReadinessGate | undefined {
  return gates.find(({ type }) => type === IN_PLACE_GATE);
}

/**
 * Closes the gate for an update, and says at once that the pod is not ready: the kubelet would say so a moment later. Only the pod as it was seen
 * leaves the service: another leader may have brought it to the target meanwhile, and taken the next node.
 */
export function closeGateStep(pod: DaemonPod, nowMs: number, why: string): PatchStep {
  const conditions = [
    condition(IN_PLACE_GATE, { isTrue: false, reason: START_REASON, message: "" }, nowMs),
    condition("Ready", { isTrue: false, reason: START_REASON, message: "an update in place has begun" }, nowMs),
  ];
  return fencedPatch(statusStep(pod, conditions, why), pod);
}

/** Opens the gate, and Kruise's where nobody ever set it; undefined when all that is ours is open. */
export function openGatesStep(pod: DaemonPod, nowMs: number): PatchStep | undefined {
  if (!pod.gates.some(isOursToOpen)) return undefined;
  const shut = pod.gates.filter(isOursToOpen);
  const conditions = shut.map(({ type }) => condition(type, { isTrue: true, reason: "", message: "" }, nowMs));
  return statusStep(pod, conditions, `nothing of ${shut.map(({ type }) => type).join(" and ")} holds the pod back`);
}

function isOursToOpen({ type, condition: stored }: ReadinessGate): boolean {
  return (type === IN_PLACE_GATE && stored?.isTrue !== true) || (type === KRUISE_POD_READY && stored === undefined);
}

type Said = { readonly isTrue: boolean; readonly reason: string; readonly message: string };

/** A condition of a pod as it is patched. */
export function condition(type: string, { isTrue, reason, message }: Said, nowMs: number): JsonObject {
  return { type, status: isTrue ? "True" : "False", reason, message, lastTransitionTime: timestamp(nowMs) };
}

/** Sets conditions of exactly the pod that was seen; others stay. */
export function statusStep(pod: DaemonPod, conditions: readonly JsonObject[], why: string): PatchStep {
  return {
    ...{ do: "patch", target: podRef(pod), subresource: "status" },
    ...{ patchType: "strategic", patch: { metadata: { uid: pod.uid }, status: { conditions } }, why },
  };
}
