// What a kubelet reports of a pod, as a function of what runs on its node. Pure.
import { createHash } from "node:crypto";
import {
  type ApiCondition,
  type ApiContainerState,
  type ApiContainerStatus,
  type ApiPodStatus,
  type ApiTerminated,
  apiTime,
} from "../api-shapes.ts";
import type { Behaviour } from "../behaviour.ts";
import type { Rejection } from "./admit-pod.ts";
import { type ContainerRun, type Exit, isStarted, type PodRun } from "./pod-run.ts";
import type { PodView } from "./pod-view.ts";

export type Place = { readonly hostIp: string; readonly podIp: string };

/** The status of a pod that its node refuses, as the real kubelet writes it. */
export function rejectedStatus(pod: PodView, { reason, message }: Rejection, nowMs: number): ApiPodStatus {
  const { reported } = pod;
  const lastTransitionTime = apiTime(nowMs);
  const over = (type: string) => ({ type, status: "False", reason: "PodFailed", lastTransitionTime });
  // A pod that ran before a reboot must not look as if it still did.
  const hasRun = reported.containerStatuses !== undefined;
  return {
    phase: "Failed",
    reason,
    message,
    ...(pod.generation === undefined ? {} : { observedGeneration: pod.generation }),
    ...(hasRun ? { containerStatuses: [], conditions: [over("ContainersReady"), over("Ready")] } : {}),
    startTime: reported.startTime ?? lastTransitionTime,
  };
}

/** The whole status of a pod at this moment. */
export function podStatus(pod: PodView, run: PodRun, place: Place, behaviour: Behaviour, nowMs: number): ApiPodStatus {
  const containerStatuses = run.containers.map((container) => containerStatus(container, pod, behaviour, nowMs));
  const phase = phaseOf(run.containers, nowMs);
  const podIp = pod.isOnHostNetwork ? place.hostIp : place.podIp;
  return {
    phase,
    ...(pod.generation === undefined ? {} : { observedGeneration: pod.generation }),
    conditions: conditionsOf(pod, phase, containerStatuses, nowMs),
    containerStatuses,
    ...(pod.initContainers.length === 0 ? {} : { initContainerStatuses: initStatuses(pod, run, nowMs) }),
    hostIP: place.hostIp,
    hostIPs: [{ ip: place.hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: pod.reported.startTime ?? apiTime(run.acceptedAtMs),
  };
}

function containerStatus(
  container: ContainerRun,
  pod: PodView,
  behaviour: Behaviour,
  nowMs: number,
): ApiContainerStatus {
  const isRunning = isStarted(container, nowMs);
  const readyAtMs = (container.startsAtMs ?? nowMs) + behaviour.readyMs;
  const wasEverMade = isRunning || container.finalExit !== undefined || container.restarts > 0;
  const id = (restarts: number) => containerId(pod, container.name, restarts);
  return {
    name: container.name,
    image: container.image,
    imageID: wasEverMade ? imageId(container.image) : "",
    ...(wasEverMade ? { containerID: id(container.restarts) } : {}),
    ready: isRunning && readyAtMs <= nowMs && behaviour.fail !== "unready",
    started: isRunning,
    restartCount: container.restarts,
    state: stateOf(container, id(container.restarts), nowMs),
    ...(isRunning ? resourcesOf(container.name, pod) : {}),
    ...(container.lastExit === undefined
      ? {}
      : { lastState: { terminated: terminated(container.lastExit, id(container.restarts - 1)) } }),
  };
}

function stateOf(container: ContainerRun, id: string, nowMs: number): ApiContainerState {
  const { startsAtMs = nowMs, failedPull, finalExit, image } = container;
  if (finalExit !== undefined) return { terminated: terminated(finalExit, id) };
  if (failedPull !== undefined) return { waiting: pullTrouble(image, nowMs < failedPull.shownUntilMs) };
  if (startsAtMs <= nowMs) return { running: { startedAt: apiTime(startsAtMs) } };
  // The first restart is at once; only later ones are waited for.
  return { waiting: { reason: container.crashes > 1 ? "CrashLoopBackOff" : "ContainerCreating" } };
}

function pullTrouble(image: string, hasJustFailed: boolean): { readonly reason: string; readonly message: string } {
  const fault = `failed to pull image "${image}": not found`;
  return hasJustFailed
    ? { reason: "ErrImagePull", message: fault }
    : { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}": ErrImagePull: ${fault}` };
}

/** Resources changed in place are what the container has at once. */
function resourcesOf(name: string, pod: PodView): Pick<ApiContainerStatus, "allocatedResources" | "resources"> {
  const resources = pod.containers.find((container) => container.name === name)?.resources;
  if (resources?.requests === undefined) return resources?.limits === undefined ? {} : { resources };
  return { allocatedResources: resources.requests, resources };
}

function terminated(exit: Exit, containerID: string): ApiTerminated {
  return {
    exitCode: exit.code,
    reason: exit.reason,
    ...(exit.message === "" ? {} : { message: exit.message }),
    startedAt: apiTime(exit.startedAtMs),
    finishedAt: apiTime(exit.finishedAtMs),
    containerID,
  };
}

/** Init containers are not simulated one by one: they are done at the instant at which the first container starts. */
function initStatuses(pod: PodView, run: PodRun, nowMs: number): readonly ApiContainerStatus[] {
  const doneAtMs = run.containers[0]?.startsAtMs;
  return pod.initContainers.map((container) => {
    const { name, image } = container;
    if (doneAtMs === undefined || doneAtMs > nowMs) {
      const state = { waiting: { reason: "PodInitializing" } };
      return { name, image, imageID: "", ready: false, started: false, restartCount: 0, state };
    }
    const containerID = containerId(pod, name, 0);
    const isSidecar = container.restartPolicy === "Always";
    const exit = { code: 0, reason: "Completed", message: "", startedAtMs: run.acceptedAtMs } as const;
    const state = isSidecar
      ? { running: { startedAt: apiTime(doneAtMs) } }
      : { terminated: terminated({ ...exit, finishedAtMs: doneAtMs }, containerID) };
    return {
      name,
      image,
      imageID: imageId(image),
      containerID,
      ready: true,
      started: isSidecar,
      restartCount: 0,
      state,
    };
  });
}

function phaseOf(containers: readonly ContainerRun[], nowMs: number): string {
  const exits = containers.map((container) => container.finalExit);
  if (exits.every((exit) => exit !== undefined)) {
    return exits.every((exit) => exit?.code === 0) ? "Succeeded" : "Failed";
  }
  const isWaiting = containers.some((container) => container.restarts === 0 && !hasEverRun(container, nowMs));
  return isWaiting ? "Pending" : "Running";
}

function hasEverRun(container: ContainerRun, nowMs: number): boolean {
  return isStarted(container, nowMs) || container.finalExit !== undefined;
}

function conditionsOf(
  pod: PodView,
  phase: string,
  containers: readonly ApiContainerStatus[],
  nowMs: number,
): readonly ApiCondition[] {
  const reported = new Map(pod.reported.conditions?.map((condition) => [condition.type, condition]));
  const condition = (type: string, isTrue: boolean, reason: string): ApiCondition => {
    const status = isTrue ? "True" : "False";
    const before = reported.get(type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    return { type, status, reason: isTrue ? "" : reason, lastTransitionTime: since ?? apiTime(nowMs) };
  };
  const isOver = phase === "Succeeded" || phase === "Failed";
  const areContainersReady = containers.every((status) => status.ready);
  const areGatesOpen = pod.readinessGates.every((gate) => reported.get(gate)?.status === "True");
  const notReady = isOver ? "PodCompleted" : "ContainersNotReady";
  return [
    condition("PodReadyToStartContainers", !isOver, ""),
    condition("Initialized", phase !== "Pending" || pod.initContainers.length === 0, "ContainersNotInitialized"),
    condition("ContainersReady", areContainersReady, notReady),
    condition("Ready", areContainersReady && areGatesOpen, areContainersReady ? "ReadinessGatesNotReady" : notReady),
  ];
}

function containerId(pod: PodView, container: string, restarts: number): string {
  return `simulated://${pod.uid}/${container}/${restarts}`;
}

/** The same image always has the same digest, and another image another one. */
export function imageId(image: string): string {
  const repository = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  return `${repository}@sha256:${createHash("sha256").update(image).digest("hex")}`;
}
