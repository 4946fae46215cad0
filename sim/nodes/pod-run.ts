// What a simulated node remembers of one pod: which containers were started when, from which image, and how they ended.
// `advanceRun` moves it to the present; the status and the next instant to look are functions of it.
import type { ApiContainerStatus } from "./api-shapes.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Machine } from "./machine.ts";
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
  /** When it starts, or has started; undefined while its image cannot be had. */
  readonly startsAtMs: number | undefined;
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

const CRASH_PAUSE_MS = 1_000;
const CRASH_PAUSE_MAX_MS = 60_000;
const KILLED_BY_REBOOT = 255;

/** The first sight of a pod: its containers will start, or are running already if the API says so. */
export function beginRun(pod: PodView, machine: Machine, behaviour: Behaviour, nowMs: number): PodRun {
  const reported = new Map(pod.reported.containerStatuses?.map((status) => [status.name, status]));
  const containers = pod.containers.map(({ name, image }) => {
    const known = reported.get(name);
    const fresh = { name, image, restarts: 0, startsAtMs: nowMs + behaviour.startMs };
    return known === undefined ? { ...fresh, lastExit: undefined, finalExit: undefined } : adopt(known, fresh);
  });
  return { uid: pod.uid, bootId: machine.bootId, acceptedAtMs: nowMs, stoppingSinceMs: undefined, containers };
}

function adopt(
  status: ApiContainerStatus,
  fresh: { readonly name: string; readonly image: string; readonly startsAtMs: number },
): ContainerRun {
  const { state, restartCount } = status;
  const startedAtMs = "running" in state ? Date.parse(state.running.startedAt) : undefined;
  return {
    name: fresh.name,
    // A container that runs keeps its image until we notice that the pod asks for another.
    image: startedAtMs === undefined ? fresh.image : status.image,
    restarts: restartCount,
    startsAtMs: startedAtMs ?? fresh.startsAtMs,
    lastExit: undefined,
    finalExit: undefined,
  };
}

/** The run as it is now, after everything that should have happened meanwhile. */
export function advanceRun(run: PodRun, pod: PodView, machine: Machine, behaviour: Behaviour, nowMs: number): PodRun {
  const wasRebooted = run.bootId !== machine.bootId;
  const stoppingSinceMs = run.stoppingSinceMs ?? (pod.deletion === undefined ? undefined : nowMs);
  const containers = run.containers.map((container) => {
    if (container.finalExit !== undefined) return container;
    if (wasRebooted) return endContainer(container, pod, rebootExit(container, nowMs), nowMs + behaviour.startMs);
    if (stoppingSinceMs !== undefined) return container;
    return advanceContainer(container, pod, behaviour, nowMs);
  });
  return { ...run, bootId: machine.bootId, stoppingSinceMs, containers };
}

function advanceContainer(container: ContainerRun, pod: PodView, behaviour: Behaviour, nowMs: number): ContainerRun {
  const image = pod.containers.find(({ name }) => name === container.name)?.image ?? container.image;
  const hasStarted = isStarted(container, nowMs);
  if (image !== container.image) return withImage(container, image, behaviour, nowMs);
  if (!hasStarted && behaviour.fail === "pull") return { ...container, startsAtMs: undefined };
  if (container.startsAtMs === undefined) return { ...container, startsAtMs: nowMs + behaviour.startMs };
  const exit = exitOf(container.startsAtMs, behaviour);
  if (exit === undefined || exit.finishedAtMs > nowMs) return container;
  return endContainer(container, pod, exit, nowMs + crashPauseMs(container.restarts, exit));
}

/** An image changed in place: the old container is stopped, a new one is made under the same name. */
function withImage(container: ContainerRun, image: string, behaviour: Behaviour, nowMs: number): ContainerRun {
  const startsAtMs = nowMs + behaviour.startMs;
  if (!isStarted(container, nowMs)) return { ...container, image, startsAtMs };
  const lastExit = exitNow(container, { code: 0, reason: "Completed", nowMs });
  return { ...container, image, startsAtMs, restarts: container.restarts + 1, lastExit };
}

function endContainer(container: ContainerRun, pod: PodView, exit: Exit, againAtMs: number): ContainerRun {
  const restarts = pod.restartPolicy === "Always" || (pod.restartPolicy === "OnFailure" && exit.code !== 0);
  if (!restarts || pod.deletion !== undefined) return { ...container, finalExit: exit };
  return { ...container, restarts: container.restarts + 1, startsAtMs: againAtMs, lastExit: exit };
}

function exitOf(startedAtMs: number, behaviour: Behaviour): Exit | undefined {
  const { exit } = behaviour;
  if (exit === undefined) return undefined;
  const reason = exit.code === 0 ? "Completed" : "Error";
  return { code: exit.code, reason, message: exit.message, startedAtMs, finishedAtMs: startedAtMs + exit.afterMs };
}

function rebootExit(container: ContainerRun, nowMs: number): Exit {
  return exitNow(container, { code: KILLED_BY_REBOOT, reason: "Unknown", nowMs });
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

/** A container that failed waits longer each time; one that completed comes back at once. */
function crashPauseMs(restarts: number, exit: Exit): number {
  return exit.code === 0 ? 0 : Math.min(CRASH_PAUSE_MS * 2 ** restarts, CRASH_PAUSE_MAX_MS);
}

/** When the containers of a pod that is to end will have ended; undefined while nobody asks for it. */
export function stopsAtMs(run: PodRun, pod: PodView, behaviour: Behaviour): number | undefined {
  const sinceMs = run.stoppingSinceMs;
  if (sinceMs === undefined || pod.deletion === undefined) return undefined;
  const isAnyRunning = run.containers.some((container) => isStarted(container, sinceMs));
  return isAnyRunning ? sinceMs + Math.min(behaviour.stopMs, pod.deletion.graceSeconds * 1000) : sinceMs;
}

/** The next instant at which the run changes by itself; undefined when it waits for somebody else. */
export function nextChangeMs(run: PodRun, pod: PodView, behaviour: Behaviour, nowMs: number): number | undefined {
  const stop = stopsAtMs(run, pod, behaviour);
  const instants = stop !== undefined ? [stop] : run.containers.flatMap((container) => changesOf(container, behaviour));
  const later = instants.filter((instant) => instant > nowMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

function changesOf(container: ContainerRun, behaviour: Behaviour): readonly number[] {
  const { startsAtMs, finalExit } = container;
  if (startsAtMs === undefined || finalExit !== undefined) return [];
  const exit = exitOf(startsAtMs, behaviour);
  return [startsAtMs, startsAtMs + behaviour.readyMs, ...(exit === undefined ? [] : [exit.finishedAtMs])];
}
