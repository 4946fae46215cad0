// The record of an update in place, kept in an annotation of the pod in Kruise's form: whoever leads next, we or Kruise, goes on from
// the pod alone. Members that Kruise does not know it passes over; without them an update still ends, only by fewer signs.

import { timestamp } from "../../../core/decision/conditions.ts";
import { instantIn, textIn, textsIn } from "../../../core/decision/object-identity.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";

export const IN_PLACE_STATE = "apps.kruise.io/inplace-update-state";
export const IN_PLACE_GRACE = "apps.kruise.io/inplace-update-grace";
/** Where old versions of Kruise kept the same; read, and removed with the next update. */
export const OLD_IN_PLACE_STATE = "inplace-update-state";
export const OLD_IN_PLACE_GRACE = "inplace-update-grace";

const RESOURCES = "containerResources";

/** A container as it was reported when it got its new image. */
export type ContainerBefore = {
  readonly imageId: string;
  /** Empty in what Kruise wrote. */
  readonly containerId: string;
};

export type InPlaceState = {
  readonly revision: string;
  readonly sinceMs: number | undefined;
  /** The containers that got a new image or a restart and were not seen to have it yet, as they were. */
  readonly before: Readonly<Record<string, ContainerBefore>>;
  /** Images that containers get in later batches. */
  readonly nextImages: Readonly<Record<string, string>>;
  /** The order of those; ours alone. */
  readonly nextBatches: readonly (readonly string[])[];
  /** Containers that must be ready before the next batch. */
  readonly requiredReady: readonly string[];
  /** Ours alone: what containers are expected to run with. */
  readonly images: Readonly<Record<string, string>>;
  /** Ours alone: the images before the update began. Whoever turns back in the middle must know what the pod still has. */
  readonly oldImages: Readonly<Record<string, string>>;
  /** Ours alone: resources that the kubelet is to report. */
  readonly resources: Readonly<Record<string, JsonObject>>;
  readonly batches: readonly Json[];
};

/** Images that wait for a moment to pass, as Kruise leaves them. */
export type InPlaceGrace = { readonly images: Readonly<Record<string, string>>; readonly seconds: number };

/** Reads the record of a pod; undefined when there is none or nobody can read it. */
export function readInPlaceState(pod: DaemonPod): InPlaceState | undefined {
  const state = annotationOf(pod, IN_PLACE_STATE) ?? annotationOf(pod, OLD_IN_PLACE_STATE);
  if (state === undefined) return undefined;
  return {
    revision: textIn(state.revision),
    sinceMs: instantIn(state.updateTimestamp),
    before: membersOf(objectAt(state, "lastContainerStatuses"), (container) => ({
      imageId: textIn(container.imageID),
      containerId: textIn(container.containerID),
    })),
    nextImages: textsIn(state.nextContainerImages),
    nextBatches: listOf(state.nextContainerBatches).map((batch) => namesIn(batch)),
    requiredReady: namesIn(objectAt(state, "preCheckBeforeNext").containersRequiredReady),
    images: textsIn(state.containerImages),
    oldImages: textsIn(state.previousContainerImages),
    resources: membersOf(objectAt(state, RESOURCES), (resources) => resources),
    batches: listOf(state.containerBatchesRecord),
  };
}

/** Whether the record speaks of resources, told without reading it: every look asks this of every pod, and few do. */
export function recordsResources({ annotations }: DaemonPod): boolean {
  return annotations[IN_PLACE_STATE]?.includes(RESOURCES) === true;
}

/** The record as it stands in the annotation. */
export function inPlaceStateText(state: InPlaceState): string {
  const { before, nextImages, requiredReady, resources, sinceMs } = state;
  const hasNext = Object.keys(nextImages).length > 0;
  const written: Readonly<Record<string, Json | undefined>> = {
    revision: state.revision,
    updateTimestamp: timestamp(sinceMs ?? 0),
    lastContainerStatuses: Object.fromEntries(Object.entries(before).map(([name, was]) => [name, reportOf(was)])),
    updateImages: Object.keys(before).length > 0 || hasNext ? true : undefined,
    updateResources: Object.keys(resources).length > 0 ? true : undefined,
    nextContainerImages: hasNext ? nextImages : undefined,
    nextContainerBatches: hasNext ? state.nextBatches : undefined,
    preCheckBeforeNext: hasNext ? { containersRequiredReady: requiredReady } : undefined,
    containerImages: presentTexts(state.images),
    previousContainerImages: presentTexts(state.oldImages),
    [RESOURCES]: Object.keys(resources).length > 0 ? resources : undefined,
    containerBatchesRecord: state.batches.length > 0 ? state.batches : undefined,
  };
  return canonicalJson(
    Object.fromEntries(Object.entries(written).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
  );
}

/** Reads what Kruise left to be done after a moment of grace; undefined when there is nothing. */
export function readInPlaceGrace(pod: DaemonPod): InPlaceGrace | undefined {
  const grace = annotationOf(pod, IN_PLACE_GRACE) ?? annotationOf(pod, OLD_IN_PLACE_GRACE);
  if (grace === undefined) return undefined;
  const seconds = typeof grace.graceSeconds === "number" && grace.graceSeconds > 0 ? grace.graceSeconds : 0;
  return { images: textsIn(grace.containerImages), seconds };
}

function annotationOf({ annotations }: DaemonPod, key: string): JsonObject | undefined {
  const text = annotations[key];
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function reportOf({ imageId, containerId }: ContainerBefore): JsonObject {
  return containerId === "" ? { imageID: imageId } : { imageID: imageId, containerID: containerId };
}

/** The members that are objects, each read; what is something else is passed over. */
function membersOf<R>(object: JsonObject, read: (member: JsonObject) => R): Readonly<Record<string, R>> {
  const entries = Object.entries(object).flatMap(([key, member]) =>
    isJsonObject(member) ? [[key, read(member)] as const] : [],
  );
  return Object.fromEntries(entries);
}

function presentTexts(texts: Readonly<Record<string, string>>): JsonObject | undefined {
  return Object.keys(texts).length === 0 ? undefined : texts;
}

function namesIn(value: Json | undefined): readonly string[] {
  return listOf(value).filter((name) => typeof name === "string");
}
