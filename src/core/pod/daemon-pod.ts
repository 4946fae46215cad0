// A daemon pod as decisions see it: whose it is, which node it is for, and since when it serves.
//
// Beside this file:
//   container-state.ts  what the kubelet reports of each container
//   readiness-gate.ts   conditions that others must set before the pod is ready
//   pods-by-node.ts     the pods of a workload by node, kept current

import { instantIn, type ObjectIdentity, objectIdentity, textIn } from "../decision/object-identity.ts";
import type { ObjectRef } from "../decision/step.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { targetNodeName } from "../node/node-pinning.ts";
import { type ContainerState, parseContainerStates } from "./container-state.ts";
import { parseReadinessGates, type ReadinessGate } from "./readiness-gate.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

export type DaemonPod = ObjectIdentity & {
  /** Where it runs, or where alone it may run; empty when neither is known. */
  readonly node: string;
  /** A node has been chosen for it. */
  readonly isBound: boolean;
  readonly phase: PodPhase;
  /** Why it failed, in the kubelet's words. */
  readonly phaseReason: string;
  /** Of a pod that has ended: what its containers left as their last message, that of one that failed first; empty when that is nothing. */
  readonly lastWords: string;
  /** Since when it is ready, in wall ms; undefined while it is not. */
  readonly readySinceMs: number | undefined;
  readonly finalizers: readonly string[];
  /** What it waits for besides its containers. */
  readonly gates: readonly ReadinessGate[];
  /** Only of a pod with readiness gates: nobody changes another one in place, so nobody asks. */
  readonly containers: readonly ContainerState[];
  /** Why new resources are not set up yet, in the kubelet's word (`Infeasible`, `Deferred`); empty when none are pending. */
  readonly resizePending: string;
};

const NO_CONTAINERS: readonly ContainerState[] = Object.freeze([]);
const NO_FINALIZERS: readonly string[] = Object.freeze([]);
const PHASES: readonly PodPhase[] = ["Pending", "Running", "Succeeded", "Failed"];

/** Reads a Pod object of whatever shape; never throws. */
export function parseDaemonPod(object: JsonObject): DaemonPod {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const status = isJsonObject(object.status) ? object.status : {};
  const bound = textIn(spec.nodeName);
  const pinned = bound === "" ? targetNodeName(spec) : undefined;
  const gates = parseReadinessGates(spec.readinessGates, status.conditions);
  const isGated = gates.length > 0;
  return {
    ...objectIdentity(object),
    node: pinned?.ok ? pinned.value : bound,
    isBound: bound !== "",
    phase: PHASES.find((phase) => phase === status.phase) ?? "Unknown",
    phaseReason: textIn(status.reason),
    lastWords: isOver(status.phase) ? lastWordsIn(status) : "",
    readySinceMs: readySince(status.conditions),
    finalizers: finalizersIn(object.metadata),
    gates,
    containers: isGated ? parseContainerStates(status.containerStatuses) : NO_CONTAINERS,
    resizePending: isGated ? resizePendingIn(status.conditions) : "",
  };
}

/** The pod as steps name it. */
export function podRef({ namespace, name }: ObjectIdentity): ObjectRef {
  return { apiVersion: "v1", kind: "Pod", namespace, name };
}

/** Whether the pod has ended, well or badly, and will not come back by itself. */
export function hasEnded({ phase }: DaemonPod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/**
 * The instant from which the pod counts as available; undefined while it is not ready or is leaving.
 * It may lie ahead: look again then.
 */
export function availableFromMs(pod: DaemonPod, minReadySeconds: number): number | undefined {
  if (pod.readySinceMs === undefined || pod.isLeaving || hasEnded(pod)) return undefined;
  // Ready is enough then, as for Kubernetes: a node whose clock is ahead would otherwise seem to be down and be replaced beyond the budget.
  return minReadySeconds === 0 ? 0 : pod.readySinceMs + minReadySeconds * 1_000;
}

/** Ready without an instant, which no kubelet writes, counts from the beginning of time. */
function readySince(conditions: Json | undefined): number | undefined {
  if (!isJsonList(conditions)) return undefined;
  for (const condition of conditions) {
    if (!isJsonObject(condition) || condition.type !== "Ready") continue;
    return condition.status === "True" ? (instantIn(condition.lastTransitionTime) ?? 0) : undefined;
  }
  return undefined;
}

function finalizersIn(metadata: Json | undefined): readonly string[] {
  const finalizers = isJsonObject(metadata) ? metadata.finalizers : undefined;
  return isJsonList(finalizers) ? finalizers.filter((name) => typeof name === "string") : NO_FINALIZERS;
}

function resizePendingIn(conditions: Json | undefined): string {
  if (!isJsonList(conditions)) return "";
  const pending = conditions.filter(isJsonObject).find(({ type }) => type === "PodResizePending");
  return pending?.status === "True" ? textIn(pending.reason) : "";
}

function isOver(phase: Json | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** In the order of running: what fails first ends the pod. */
function lastWordsIn({ initContainerStatuses, containerStatuses }: JsonObject): string {
  const ends = [initContainerStatuses, containerStatuses].flatMap((statuses) => {
    if (!isJsonList(statuses)) return [];
    const states = statuses.map((status) => (isJsonObject(status) ? status.state : undefined)).filter(isJsonObject);
    return states.map(({ terminated }) => terminated).filter(isJsonObject);
  });
  const failed = ends.filter(({ exitCode }) => exitCode !== 0);
  return [...failed, ...ends].map(({ message }) => textIn(message)).find((message) => message !== "") ?? "";
}
