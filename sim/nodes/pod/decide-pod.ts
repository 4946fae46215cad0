// The kubelet's decision about one pod: what has become of it by now, what to write about it, and when to look again.
// Pure: performing it is the business of pod-duty.ts. Deciding again from the same picture writes nothing new.
//
// This folder is one pod on one node. Beside this file:
//   admit-pod.ts, pod-view.ts: whether the kubelet takes the pod, and what it sees
//   pod-run.ts, container-pauses.ts: what runs, and pauses after failures
//   pod-status.ts, pod-happenings.ts, pod-writes.ts: what it reports
//   pod-duty.ts: all of it, in the order of a sync

import type { ApiPodStatus } from "../api-shapes.ts";
import { type Behaviour, parseBehaviour } from "../behaviour.ts";
import { covers } from "../covers.ts";
import type { Machine } from "../machine.ts";
import type { Registry } from "../registry.ts";
import { admitPod, type Premises } from "./admit-pod.ts";
import { advanceRun, beginRun, exitNow, isStarted, nextChangeMs, type PodRun, stopsAtMs } from "./pod-run.ts";
import { podStatus, rejectedStatus } from "./pod-status.ts";
import { isFinished, type PodView } from "./pod-view.ts";

export type PodDecision = {
  readonly run: PodRun | undefined;
  /** The status to report before anything else, if it differs from what the API has. */
  readonly status: ApiPodStatus | undefined;
  /** The pod's containers are gone: confirm its deletion. */
  readonly isGone: boolean;
  readonly againAtMs: number | undefined;
};

export type PodPicture = {
  readonly pod: PodView;
  readonly run: PodRun | undefined;
  readonly machine: Machine;
  readonly podIp: string;
  /** The node as its kubelet knows it; asked only when the pod is to be admitted. */
  readonly premises: () => Premises;
  readonly registry: Registry;
  /** What the test wants instead of what the annotations say. */
  readonly overruled: Partial<Behaviour>;
  readonly nowMs: number;
};

/** A first start quicker than this is reported when it is done, which halves the writes of a large fleet. */
const QUICK_START_MS = 2_000;

const NOTHING: PodDecision = { run: undefined, status: undefined, isGone: false, againAtMs: undefined };

/** Says what the kubelet of this machine does about this pod now. */
export function decidePod(picture: PodPicture): PodDecision {
  const { pod, machine, registry, nowMs } = picture;
  if (machine.presence.is !== "up") return { ...NOTHING, run: picture.run };
  if (isFinished(pod)) return { ...NOTHING, run: picture.run, isGone: mustConfirm(pod) };
  const rejection = isToBeAdmitted(picture) ? admitPod(pod, picture.premises()) : undefined;
  if (rejection !== undefined)
    return { ...NOTHING, status: rejectedStatus(pod, rejection, nowMs), isGone: mustConfirm(pod) };
  const behaviour = { ...parseBehaviour(pod), ...picture.overruled };
  const now = { machine, behaviour, registry, nowMs };
  const before = picture.run?.uid === pod.uid ? picture.run : beginRun(pod, now);
  const run = advanceRun(before, pod, now);
  const stopMs = stopsAtMs(run, pod, behaviour);
  if (stopMs !== undefined && stopMs <= nowMs) return stopped(picture, run, behaviour);
  const againAtMs = nextChangeMs(run, pod, behaviour, nowMs);
  const status = statusOf(picture, run, behaviour);
  const isWorthWriting = !isQuickStart(run, behaviour, nowMs) && !covers(pod.reported, newsOf(status, pod));
  return { run, status: isWorthWriting ? status : undefined, isGone: false, againAtMs };
}

/** A kubelet looks at every pod that it has not seen since it started; one that is to end needs no place. */
function isToBeAdmitted({ pod, run, machine }: PodPicture): boolean {
  const isKnown = run?.uid === pod.uid && run.bootId === machine.bootId;
  return !isKnown && pod.deletion === undefined;
}

/** A deletion counts as a new generation; having seen it is no news by itself, the end of the containers will be. */
function newsOf(status: ApiPodStatus, pod: PodView): ApiPodStatus {
  if (pod.deletion === undefined) return status;
  const { observedGeneration: _, ...rest } = status;
  return rest;
}

/** The containers have ended: say so once, then let the API forget the pod. */
function stopped(picture: PodPicture, run: PodRun, behaviour: Behaviour): PodDecision {
  const { pod, nowMs } = picture;
  const containers = run.containers.map((container) => ({
    ...container,
    finalExit: container.finalExit ?? exitNow(container, { code: 0, reason: "Completed", nowMs }),
  }));
  const ended = { ...run, containers };
  const status = statusOf(picture, ended, behaviour);
  const isReported = covers(pod.reported, status);
  return { run: ended, status: isReported ? undefined : status, isGone: mustConfirm(pod), againAtMs: undefined };
}

/** A grace of zero means that the deletion is confirmed already and only finalizers hold the pod. */
function mustConfirm(pod: PodView): boolean {
  return pod.deletion !== undefined && pod.deletion.graceSeconds > 0;
}

function statusOf({ pod, machine, podIp, nowMs }: PodPicture, run: PodRun, behaviour: Behaviour): ApiPodStatus {
  return podStatus(pod, run, { hostIp: machine.ip, podIp }, behaviour, nowMs);
}

function isQuickStart(run: PodRun, behaviour: Behaviour, nowMs: number): boolean {
  const startsByMs = nowMs + QUICK_START_MS;
  const isFirstStart = run.containers.every(
    ({ restarts, startsAtMs, finalExit }) =>
      restarts === 0 && startsAtMs !== undefined && finalExit === undefined && startsAtMs < startsByMs,
  );
  const isAnyRunning = run.containers.some((container) => isStarted(container, nowMs));
  return isFirstStart && !isAnyRunning && behaviour.startMs < QUICK_START_MS;
}
