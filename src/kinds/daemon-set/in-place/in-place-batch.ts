// The batches of an update in place as transitions of its record: what is still to be done, and what the next batch does.
import { timestamp } from "../../../core/decision/conditions.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { containerOf, unarrivedContainers } from "./in-place-arrival.ts";
import type { InPlaceChange } from "./in-place-change.ts";
import { inPlaceGate } from "./in-place-gate.ts";
import { batchesOf } from "./in-place-launch-order.ts";
import { type InPlaceState, readInPlaceState } from "./in-place-state.ts";

type Texts = Readonly<Record<string, string>>;

/** One batch: the images to write, and the record to write with them. */
export type Batch = { readonly images: Texts; readonly state: InPlaceState };

/** The record of an update to a target of which nothing is written yet, with what an unfinished update left to be done. */
export function plannedState(
  pod: DaemonPod,
  { change, revision }: { readonly change: InPlaceChange; readonly revision: string },
  nowMs: number,
): InPlaceState {
  const left = unfinished(pod);
  const asked: Texts = { ...left?.nextImages, ...mapped(change.images, ({ to }) => to) };
  // What waited for a later batch has still the image that it had before.
  const present: Texts = { ...mapped(change.images, ({ from }) => from), ...pendingOld(left) };
  const nextImages = picked(asked, (name) => present[name] !== asked[name]);
  const waiting = left === undefined ? [] : unarrivedContainers(pod, left);
  const isInFlight = (name: string) => waiting.includes(name) && !Object.hasOwn(nextImages, name);
  return {
    ...{ revision, sinceMs: nowMs, nextImages, batches: [] },
    before: { ...picked(left?.before ?? {}, isInFlight), ...reportsOf(pod, change.restarted) },
    images: picked(left?.images ?? {}, isInFlight),
    oldImages: {
      ...picked(present, (name) => Object.hasOwn(nextImages, name)),
      ...picked(left?.oldImages ?? {}, isInFlight),
    },
    nextBatches: batchesOf(change.order, Object.keys(nextImages)),
    requiredReady: [],
    resources: { ...readInPlaceState(pod)?.resources, ...change.resources },
  };
}

/** Takes the first batch out of what is to be done. */
export function takeBatch(pod: DaemonPod, state: InPlaceState, nowMs: number): Batch {
  const [named = [], ...nextBatches] = state.nextBatches;
  // Kruise records no order; then all that is left goes at once.
  const names = state.nextBatches.length === 0 ? Object.keys(state.nextImages) : named;
  const images = picked(state.nextImages, (name) => names.includes(name));
  const record = { timestamp: timestamp(nowMs), containers: names };
  return {
    images,
    state: {
      ...{ ...state, nextBatches, requiredReady: names, sinceMs: nowMs },
      before: { ...state.before, ...reportsOf(pod, names) },
      nextImages: picked(state.nextImages, (name) => !names.includes(name)),
      images: { ...state.images, ...images },
      batches: names.length === 0 ? state.batches : [...state.batches, record],
    },
  };
}

/** The containers as they are reported now. */
function reportsOf(pod: DaemonPod, names: readonly string[]): InPlaceState["before"] {
  const reports = names.map((name) => {
    const { imageId = "", containerId = "" } = containerOf(pod, name) ?? {};
    return [name, { imageId, containerId }] as const;
  });
  return Object.fromEntries(reports);
}

/** Whether anything is left for later batches. */
export function hasNext({ nextImages }: InPlaceState): boolean {
  return Object.keys(nextImages).length > 0;
}

/** The record of an update that has not ended: while one runs, the gate is shut. */
export function unfinished(pod: DaemonPod): InPlaceState | undefined {
  return inPlaceGate(pod)?.condition?.isTrue === false ? readInPlaceState(pod) : undefined;
}

function pendingOld(left: InPlaceState | undefined): Texts {
  return left === undefined ? {} : picked(left.oldImages, (name) => Object.hasOwn(left.nextImages, name));
}

function picked<T>(members: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)));
}

function mapped<T, R>(members: Readonly<Record<string, T>>, read: (member: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, read(member)]));
}
