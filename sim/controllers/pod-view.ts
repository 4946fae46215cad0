// A pod as the controllers see it: who manages it, where it runs or shall run, how it is.
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { targetNodeName } from "../../src/core/node/node-pinning.ts";
import type { Stored } from "../../src/kube/resource.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-server/api-object.ts";
import type { ApiObject } from "./api-resources.ts";
import { type ObjectView, parseObjectView, timeMs } from "./object-view.ts";

export type PodView = ObjectView & {
  /** Empty until the scheduler has bound it. */
  readonly nodeName: string;
  /** Where it runs or was made to run; empty when it may run anywhere. */
  readonly targetNode: string;
  /** What a scheduler and an evictor ask: selectors, affinity, tolerations, gates. */
  readonly placement: JsonObject;
  readonly restartPolicy: string;
  readonly phase: string;
  readonly isReady: boolean;
  readonly readySinceMs: number;
  readonly conditions: readonly JsonObject[];
  readonly restarts: number;
  /** When its last container ended; 0 while one runs. */
  readonly finishedMs: number;
};

const placementFields = ["nodeName", "nodeSelector", "affinity", "tolerations", "schedulerName", "schedulingGates"];

/** Reads a pod; what only its kubelet needs is not kept. */
export function parsePod(pod: Stored<ApiObject>): PodView {
  const [spec = {}, status = {}] = [pod.spec, pod.status];
  const conditions = listAt(status, "conditions").filter(isJsonObject);
  const ready = conditions.find(({ type }) => type === "Ready");
  const target = targetNodeName(spec);
  const containers = listAt(status, "containerStatuses").filter(isJsonObject);
  return {
    ...parseObjectView(pod),
    nodeName: textAt(spec, "nodeName"),
    targetNode: target.ok ? target.value : "",
    placement: pick(spec, placementFields),
    restartPolicy: textAt(spec, "restartPolicy"),
    phase: textAt(status, "phase"),
    isReady: ready?.status === "True",
    readySinceMs: timeMs(ready === undefined ? undefined : textAt(ready, "lastTransitionTime")),
    conditions,
    restarts: containers.reduce((sum, each) => sum + (numberAt(each, "restartCount") ?? 0), 0),
    finishedMs: Math.max(0, ...containers.map(finishedMs)),
  };
}

/** True once the pod will never run again. */
export function isFinished({ phase }: PodView): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** True when the pod has been ready for the seconds that its owner asks for. */
export function isAvailable(pod: PodView, minReadySeconds: number, nowMs: number): boolean {
  return pod.isReady && (minReadySeconds === 0 || pod.readySinceMs + minReadySeconds * 1000 <= nowMs);
}

function finishedMs(container: JsonObject): number {
  const ended = textAt(objectAt(objectAt(container, "state"), "terminated"), "finishedAt");
  return timeMs(ended === "" ? undefined : ended);
}

function pick(holder: JsonObject, keys: readonly string[]): JsonObject {
  const picked: Record<string, Json> = {};
  for (const key of keys) {
    const value = holder[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}
