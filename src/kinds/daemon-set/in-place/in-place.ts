// Updates in place: the steps that bring a running pod to another template without making it anew.
//
//   shut gate → (grace) → new images of the first batch, with the record → the kubelet reports them → next batch … → open gate
//
// Guarantees: every state is readable from the pod alone, and every step may be repeated; after a crash at any point the next
// look goes on and ends the same. An update ends also when the new image is the old one under another name.
// Assumes: one of `startInPlace` and `tendInPlace` is asked for a pod in one plan, never both.
//
// Beside this file, in the order of an update:
//   in-place-change.ts, in-place-resize.ts       whether a pod can become the new one
//   move-in-place.ts, in-place-gate.ts           takes the pod out of service and begins
//   in-place-batch.ts, in-place-launch-order.ts  which containers change next
//   in-place-arrival.ts                          whether the kubelet has done its part
//   in-place-state.ts                            the record of it all, in an annotation

import { type PatchStep, stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import { areResourcesSetUp, containerOf, unarrivedContainers } from "./in-place-arrival.ts";
import { hasNext, plannedState, takeBatch, unfinished } from "./in-place-batch.ts";
import type { InPlaceChange, TextChanges } from "./in-place-change.ts";
import { closeGateStep, inPlaceGate, openGatesStep } from "./in-place-gate.ts";
import {
  IN_PLACE_GRACE,
  IN_PLACE_STATE,
  type InPlaceState,
  inPlaceStateText,
  OLD_IN_PLACE_GRACE,
  OLD_IN_PLACE_STATE,
  readInPlaceGrace,
  readInPlaceState,
  recordsResources,
} from "./in-place-state.ts";

export type InPlaceTarget = {
  readonly change: InPlaceChange;
  /** The hash of the revision that the pod is brought to. */
  readonly revision: string;
  /** What the pod is to say of its revision and rendering. */
  readonly labels: TextChanges;
  readonly annotations: TextChanges;
  /** How long the pod is out of service before anything is restarted; Kruise's DaemonSet has no field for it. */
  readonly graceSeconds?: number;
};

export type InPlaceProgress = {
  readonly is: /** Nothing is going on, and nothing has to be written. */
    | "settled"
    /** It is being written: a begin, a batch, or the opening of gates. */
    | "moving"
    /** Somebody else has to do his part first. */
    | "waiting"
    /** The kubelet cannot do its part; only a new pod helps. */
    | "stuck";
  /** A clause: what is done or waited for, or why it is stuck; empty when settled. */
  readonly because: string;
  readonly steps: readonly PatchStep[];
  /** When to ask again, in wall ms; absent when something will be seen to change. */
  readonly lookAgainAtMs?: number;
};

const NOTHING: readonly PatchStep[] = Object.freeze([]);
const SETTLED: InPlaceProgress = Object.freeze({ is: "settled", because: "", steps: NOTHING });

/** Whether the pod was made for updates in place; one that was made before the set asked for them was not. */
export function isMadeForInPlace(pod: DaemonPod): boolean {
  return inPlaceGate(pod) !== undefined && !pod.isLeaving;
}

/** Whether nothing is going on in the pod, and no passing of time begins anything: no way to this answer asks for the time. */
export function isSettledInPlace(pod: DaemonPod): boolean {
  return tendInPlace(pod, 0) === SETTLED;
}

/** Begins an update of a pod that may be taken now, or turns a running one to another target. */
export function startInPlace(pod: DaemonPod, target: InPlaceTarget, nowMs: number): InPlaceProgress {
  const { change, revision, graceSeconds = 0 } = target;
  const busy = busyContainer(pod);
  // What the kubelet is about to do is told from what it did, so it is let finish; one that cannot is not waited for.
  if (busy !== undefined) return waiting(`the kubelet is still updating container ${busy}`);
  const because = `it is brought to revision ${revision} in place`;
  const planned = plannedState(pod, target, nowMs);
  const isRestarting = hasNext(planned) || Object.keys(planned.before).length > 0;
  const shutSinceMs = shutSince(pod);
  const shutting = isRestarting && shutSinceMs === undefined ? [closeGateStep(pod, nowMs, because)] : [];
  const atMs = (shutSinceMs ?? nowMs) + graceSeconds * 1_000;
  if (isRestarting && atMs > nowMs) return { is: "moving", because, steps: shutting, lookAgainAtMs: atMs };
  const resizing = resizeSteps(pod, change, shutting, because);
  const { images, state } = takeBatch(pod, planned, nowMs);
  const update = podStep(pod, images, {
    labels: { ...change.labels, ...target.labels },
    annotations: { ...change.annotations, ...target.annotations, ...recordAnnotations(pod, state) },
  });
  const after = [...shutting, ...resizing].map(stepId);
  return { is: "moving", because, steps: [...shutting, ...resizing, { ...update, after, why: because }] };
}

/** Looks after a pod that is not being taken: goes on with the update it is in, and opens its gates when there is none. */
export function tendInPlace(pod: DaemonPod, nowMs: number): InPlaceProgress {
  if (pod.isLeaving || pod.gates.length === 0) return SETTLED;
  const state = unfinished(pod);
  const grace = state === undefined ? undefined : readInPlaceGrace(pod);
  if (state === undefined) return settled(pod, nowMs);
  if (grace !== undefined) {
    const atMs = (state.sinceMs ?? 0) + grace.seconds * 1_000;
    if (atMs > nowMs) return { ...waiting("the grace before the update is not over"), lookAgainAtMs: atMs };
    return nextBatch(pod, { ...state, nextImages: { ...state.nextImages, ...grace.images }, nextBatches: [] }, nowMs);
  }
  const [unarrived] = unarrivedContainers(pod, state);
  if (unarrived !== undefined) return waiting(`the kubelet has not updated container ${unarrived} yet`);
  if (!hasNext(state)) return settled(pod, nowMs);
  const unready = state.requiredReady.find((name) => containerOf(pod, name)?.isReady !== true);
  if (unready !== undefined) return waiting(`container ${unready} must be ready before the next ones are updated`);
  return nextBatch(pod, state, nowMs);
}

function nextBatch(pod: DaemonPod, left: InPlaceState, nowMs: number): InPlaceProgress {
  const { images, state } = takeBatch(pod, left, nowMs);
  const because = `the next containers are updated: ${Object.keys(images).join(", ")}`;
  const step = podStep(pod, images, { labels: {}, annotations: recordAnnotations(pod, state) });
  return { is: "moving", because, steps: [{ ...step, why: because }] };
}

/** No container is being replaced. New resources are set up while the pod serves, so they hold no gate. */
function settled(pod: DaemonPod, nowMs: number): InPlaceProgress {
  const opening = openGatesStep(pod, nowMs);
  if (opening !== undefined) return { is: "moving", because: opening.why, steps: [opening] };
  const resources = recordsResources(pod) ? readInPlaceState(pod)?.resources : undefined;
  if (resources === undefined || areResourcesSetUp(pod, resources)) return SETTLED;
  const isHopeless = pod.resizePending === "Infeasible";
  return isHopeless
    ? { is: "stuck", because: "the node does not have the resources that it is to get", steps: NOTHING }
    : waiting("the kubelet has not set up the new resources yet");
}

/** A container that the kubelet is still replacing, and is not stuck at. */
function busyContainer(pod: DaemonPod): string | undefined {
  const state = unfinished(pod);
  if (state === undefined) return undefined;
  return unarrivedContainers(pod, state).find((name) => containerOf(pod, name)?.isWaiting === false);
}

function shutSince(pod: DaemonPod): number | undefined {
  const stored = inPlaceGate(pod)?.condition;
  return stored === undefined || stored.isTrue ? undefined : (stored.sinceMs ?? 0);
}

function waiting(because: string): InPlaceProgress {
  return { is: "waiting", because, steps: NOTHING };
}

type Metadata = { readonly labels: TextChanges; readonly annotations: TextChanges };

function podStep(pod: DaemonPod, images: Readonly<Record<string, string>>, metadata: Metadata): PatchStep {
  const containers = Object.entries(images).map(([name, image]) => ({ name, image }));
  const spec = containers.length === 0 ? {} : { spec: { containers } };
  return { ...patchOf(pod), patch: { metadata: { uid: pod.uid, ...metadata }, ...spec } };
}

function resizeSteps(
  pod: DaemonPod,
  { resources }: InPlaceChange,
  before: readonly PatchStep[],
  why: string,
): readonly PatchStep[] {
  const containers = Object.entries(resources).map(([name, wanted]): JsonObject => ({ name, resources: wanted }));
  if (containers.length === 0) return NOTHING;
  const patch = { metadata: { uid: pod.uid }, spec: { containers } };
  return [{ ...patchOf(pod), subresource: "resize", patch, why, after: before.map(stepId) }];
}

function patchOf(pod: DaemonPod) {
  return { do: "patch" as const, target: podRef(pod), patchType: "strategic" as const, why: "" };
}

/** The record of an update, and none under the names that older versions used. */
function recordAnnotations({ annotations }: DaemonPod, state: InPlaceState): TextChanges {
  const old = [OLD_IN_PLACE_STATE, OLD_IN_PLACE_GRACE, IN_PLACE_GRACE].filter((key) => Object.hasOwn(annotations, key));
  return { [IN_PLACE_STATE]: inPlaceStateText(state), ...Object.fromEntries(old.map((key) => [key, null])) };
}
