// What a simulated node remembers of one pod: which containers were started when, from which image, and how they ended.
// `advanceRun` moves it to the present; the status and the next instant to look are functions of it.
import type { ApiContainerStatus } from "../api-shapes.ts";
import type { Behaviour } from "../behaviour.ts";
import type { Machine } from "../machine.ts";
import type { ImagePull, Registry } from "../registry.ts";
import { afterCrash, afterPull, type FailedPull, isTriedAgain } from "./container-pauses.ts";
import type { PodView } from "./pod-view.ts";

export type Exit = {
  readonly code: number;
  readonly reason: "Completed" | "Error" | "Unknown";
  readonly message: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
};

export type ContainerRun = {
  readonly name: string;
  readonly image: string;
  readonly restarts: number;
  /** How often in a row it ended by itself soon after its start. */
  readonly crashes: number;
  /** When it starts, or has started; undefined while its image cannot be had. */
  readonly startsAtMs: number | undefined;
  /** Why its image cannot be had. */
  readonly failedPull: FailedPull | undefined;
  /** How its predecessor ended. */
  readonly lastExit: Exit | undefined;
  /** How it ended for good. */
  readonly finalExit: Exit | undefined;
};

export type PodRun = {
  readonly uid: string;
  readonly bootId: string;
  readonly acceptedAtMs: number;
  readonly stoppingSinceMs: number | undefined;
  readonly containers: readonly ContainerRun[];
};

/** What decides how a pod goes on, beside the pod itself. */
export type Circumstances = {
  readonly machine: Machine;
  readonly behaviour: Behaviour;
  readonly registry: Registry;
  readonly nowMs: number;
};

const KILLED_BY_REBOOT = 255;
/** The API knows when a container started to the second. */
const API_TIME_MS = 1_000;

/** The first sight of a pod: its containers will start, or are running already if the API says so. */
export function beginRun(pod: PodView, now: Circumstances): PodRun {
  const { machine, nowMs } = now;
  const reported = new Map(pod.reported.containerStatuses?.map((status) => [status.name, status]));
  const containers = pod.containers.map(({ name, image }) => {
    const known = reported.get(name);
    return known === undefined ? freshContainer(name, image, now) : adopted(known, image, now);
  });
  const bootMs = Math.floor(machine.bootedAtMs / API_TIME_MS) * API_TIME_MS;
  const isOlderThanBoot = containers.some(
    ({ name, startsAtMs = nowMs }) => isRunning(reported.get(name)) && startsAtMs < bootMs,
  );
  // Another boot ID makes the next step treat the containers as what they are: ended with the last boot.
  const bootId = isOlderThanBoot ? "" : machine.bootId;
  return { uid: pod.uid, bootId, acceptedAtMs: nowMs, stoppingSinceMs: undefined, containers };
}

function freshContainer(name: string, image: string, now: Circumstances): ContainerRun {
  const blank = { name, image, restarts: 0, crashes: 0, lastExit: undefined, finalExit: undefined };
  return { ...blank, ...pulled(image, undefined, now) };
}

function adopted(status: ApiContainerStatus, wantedImage: string, now: Circumstances): ContainerRun {
  const fresh = freshContainer(status.name, wantedImage, now);
  const restarts = status.restartCount;
  if (!("running" in status.state)) return { ...fresh, restarts };
  // Never in the future: whoever wrote it may have had another time of day.
  const startsAtMs = Math.min(Date.parse(status.state.running.startedAt), now.nowMs);
  // A container that runs keeps its image until we notice that the pod asks for another.
  return { ...fresh, restarts, image: status.image, startsAtMs, failedPull: undefined };
}

function isRunning(status: ApiContainerStatus | undefined): boolean {
  return status !== undefined && "running" in status.state;
}

/** The run as it is now, after everything that should have happened meanwhile. */
export function advanceRun(run: PodRun, pod: PodView, now: Circumstances): PodRun {
  const { machine, nowMs } = now;
  const wasRebooted = run.bootId !== machine.bootId;
  const stoppingSinceMs = run.stoppingSinceMs ?? (pod.deletion === undefined ? undefined : nowMs);
  const containers = run.containers.map((container) => {
    if (container.finalExit !== undefined) return container;
    if (wasRebooted) return afterReboot(container, pod, now);
    if (stoppingSinceMs !== undefined) return container;
    return advanceContainer(container, pod, now);
  });
  return { ...run, bootId: machine.bootId, stoppingSinceMs, containers };
}

function afterReboot(container: ContainerRun, pod: PodView, now: Circumstances): ContainerRun {
  // What never had its image never ran, so nothing of it ended.
  if (container.failedPull !== undefined) return { ...container, ...pulled(container.image, undefined, now) };
  const exit = exitNow(container, { code: KILLED_BY_REBOOT, reason: "Unknown", nowMs: now.nowMs });
  return endContainer(container, pod, exit, now.nowMs + startingMs(now));
}

function advanceContainer(container: ContainerRun, pod: PodView, now: Circumstances): ContainerRun {
  const image = pod.containers.find(({ name }) => name === container.name)?.image ?? container.image;
  if (image !== container.image) return withImage(container, image, now);
  const { failedPull } = container;
  if (failedPull !== undefined)
    return isTriedAgain(failedPull, now.nowMs) ? { ...container, ...pulled(image, failedPull, now) } : container;
  return afterItsEnd(container, pod, now);
}

/** An image changed in place: the old container is stopped, a new one is made under the same name. */
function withImage(container: ContainerRun, image: string, now: Circumstances): ContainerRun {
  const next = { ...container, image, crashes: 0, ...pulled(image, undefined, now) };
  if (!isStarted(container, now.nowMs)) return next;
  const lastExit = exitNow(container, { code: 0, reason: "Completed", nowMs: now.nowMs });
  return { ...next, restarts: container.restarts + 1, lastExit };
}

/** A container that ends by itself is started again after a pause that grows, or has ended for good. */
function afterItsEnd(container: ContainerRun, pod: PodView, now: Circumstances): ContainerRun {
  const exit = exitOf(container, now.behaviour);
  if (exit === undefined || exit.finishedAtMs > now.nowMs) return container;
  const { crashes, pauseMs } = afterCrash(container.crashes, exit);
  return endContainer({ ...container, crashes }, pod, exit, now.nowMs + pauseMs + startingMs(now));
}

function endContainer(container: ContainerRun, pod: PodView, exit: Exit, againAtMs: number): ContainerRun {
  const restarts = pod.restartPolicy === "Always" || (pod.restartPolicy === "OnFailure" && exit.code !== 0);
  if (!restarts || pod.deletion !== undefined) return { ...container, finalExit: exit };
  return { ...container, restarts: container.restarts + 1, startsAtMs: againAtMs, lastExit: exit };
}

/** When the container starts, if its image can be had now. */
function pulled(
  image: string,
  before: FailedPull | undefined,
  now: Circumstances,
): Pick<ContainerRun, "startsAtMs" | "failedPull"> {
  const pull: ImagePull = now.behaviour.fail === "pull" ? { is: "missing" } : now.registry(image);
  if (pull.is === "missing") return { startsAtMs: undefined, failedPull: afterPull(before, now.nowMs) };
  return { startsAtMs: now.nowMs + pull.pullMs + startingMs(now), failedPull: undefined };
}

function startingMs({ behaviour }: Circumstances): number {
  return behaviour.startMs + behaviour.postStartMs;
}

function exitOf({ startsAtMs }: ContainerRun, behaviour: Behaviour): Exit | undefined {
  const { exit } = behaviour;
  if (exit === undefined || startsAtMs === undefined) return undefined;
  const reason = exit.code === 0 ? "Completed" : "Error";
  const finishedAtMs = startsAtMs + exit.afterMs;
  return { code: exit.code, reason, message: exit.message, startedAtMs: startsAtMs, finishedAtMs };
}

/** The exit of a container that is ended from outside at this moment. */
export function exitNow(
  container: ContainerRun,
  end: { readonly code: number; readonly reason: Exit["reason"]; readonly nowMs: number },
): Exit {
  const startedAtMs = Math.min(container.startsAtMs ?? end.nowMs, end.nowMs);
  return { code: end.code, reason: end.reason, message: "", startedAtMs, finishedAtMs: end.nowMs };
}

/** True while the container runs. */
export function isStarted(container: ContainerRun, nowMs: number): boolean {
  const { startsAtMs, finalExit } = container;
  return finalExit === undefined && startsAtMs !== undefined && startsAtMs <= nowMs;
}

/** When the containers of a pod that is to end will have ended; undefined while nobody asks for it. */
export function stopsAtMs(run: PodRun, pod: PodView, behaviour: Behaviour): number | undefined {
  const sinceMs = run.stoppingSinceMs;
  if (sinceMs === undefined || pod.deletion === undefined) return undefined;
  const isAnyRunning = run.containers.some((container) => isStarted(container, sinceMs));
  const neededMs = behaviour.preStopMs + behaviour.stopMs;
  return isAnyRunning ? sinceMs + Math.min(neededMs, pod.deletion.graceSeconds * 1000) : sinceMs;
}

/** The next instant at which the run changes by itself; undefined when it waits for somebody else. */
export function nextChangeMs(run: PodRun, pod: PodView, behaviour: Behaviour, nowMs: number): number | undefined {
  const stop = stopsAtMs(run, pod, behaviour);
  const instants = stop !== undefined ? [stop] : run.containers.flatMap((container) => changesOf(container, behaviour));
  const later = instants.filter((instant) => instant > nowMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

function changesOf(container: ContainerRun, behaviour: Behaviour): readonly number[] {
  const { startsAtMs, failedPull, finalExit } = container;
  if (finalExit !== undefined) return [];
  if (failedPull !== undefined) return [failedPull.shownUntilMs, failedPull.againAtMs];
  if (startsAtMs === undefined) return [];
  const exit = exitOf(container, behaviour);
  return [startsAtMs, startsAtMs + behaviour.readyMs, ...(exit === undefined ? [] : [exit.finishedAtMs])];
}
