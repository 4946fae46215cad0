// The kubelet's decision about one pod: what has become of it by now, what to write about it, and when to look again.
// Pure: performing it is the business of kubelets.ts. Deciding again from the same picture writes nothing new.
import type { ApiPodStatus } from "./api-shapes.ts";
import { type Behaviour, parseBehaviour } from "./behaviour.ts";
import type { Machine } from "./machine.ts";
import { advanceRun, beginRun, exitNow, isStarted, nextChangeMs, type PodRun, stopsAtMs } from "./pod-run.ts";
import { podStatus } from "./pod-status.ts";
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
  /** What the test wants instead of what the annotations say. */
  readonly overruled: Partial<Behaviour>;
  readonly nowMs: number;
};

/** A first start quicker than this is reported when it is done, which halves the writes of a large fleet. */
const QUICK_START_MS = 2_000;

const NOTHING: PodDecision = { run: undefined, status: undefined, isGone: false, againAtMs: undefined };

/** Says what the kubelet of this machine does about this pod now. */
export function decidePod(picture: PodPicture): PodDecision {
  const { pod, machine, nowMs } = picture;
  if (machine.presence.is !== "up") return { ...NOTHING, run: picture.run };
  if (isFinished(pod)) return { ...NOTHING, run: picture.run, isGone: mustConfirm(pod) };
  const behaviour = { ...parseBehaviour(pod.annotations, pod.restartPolicy), ...picture.overruled };
  const before = picture.run?.uid === pod.uid ? picture.run : beginRun(pod, machine, behaviour, nowMs);
  const run = advanceRun(before, pod, machine, behaviour, nowMs);
  const stopMs = stopsAtMs(run, pod, behaviour);
  if (stopMs !== undefined && stopMs <= nowMs) return stopped(picture, run, behaviour);
  const againAtMs = nextChangeMs(run, pod, behaviour, nowMs);
  const status = statusOf(picture, run, behaviour);
  const isWorthWriting = !isQuickStart(run, behaviour, nowMs) && !covers(pod.reported, newsOf(status, pod));
  return { run, status: isWorthWriting ? status : undefined, isGone: false, againAtMs };
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
  const isFirstStart = run.containers.every(
    (container) =>
      container.restarts === 0 &&
      container.startsAtMs !== undefined &&
      !isStarted(container, nowMs) &&
      !container.finalExit,
  );
  return isFirstStart && behaviour.startMs < QUICK_START_MS;
}

/** True when everything in `wanted` is in `held` with the same value; lists of conditions are compared by type. */
export function covers(held: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(held) && wanted.every((item, place) => covers(sameItem(held, item, place), item));
  }
  if (typeof wanted !== "object" || wanted === null) return (held ?? "") === wanted;
  if (typeof held !== "object" || held === null) return false;
  const fields = new Map(Object.entries(held));
  return Object.entries(wanted).every(([name, value]) => covers(fields.get(name), value));
}

function sameItem(held: readonly unknown[], item: unknown, place: number): unknown {
  const type = typeOf(item);
  return type === undefined ? held[place] : held.find((candidate) => typeOf(candidate) === type);
}

function typeOf(item: unknown): unknown {
  return typeof item === "object" && item !== null && "type" in item ? item.type : undefined;
}
