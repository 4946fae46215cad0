// What `kubectl get pods` shows of a pod. The real server reads one word for its state out of phase, conditions and the states
// of all containers; the order of the rules below is its order.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt } from "../api-object.ts";
import { printAge } from "./age.ts";

export type PodCells = {
  /** "1/2". */
  readonly ready: string;
  readonly status: string;
  /** "3 (5m ago)". */
  readonly restarts: string;
};

type Count = { restarts: number; lastEnd: string };

/** The cells of a pod that depend on more than one of its fields. */
export function podCells(pod: JsonObject, nowMs: number): PodCells {
  const spec = objectAt(pod, "spec");
  const status = objectAt(pod, "status");
  const begun = initialState(spec, status);
  const isRunning = begun.reason === undefined || conditionOf(status, "Initialized") === "True";
  const settled = isRunning ? runningState(status, begun.reason ?? ownReason(status)) : undefined;
  const { restarts, lastEnd } = restartsOf(spec, status, isRunning);
  const total = objectsAt(spec, "containers").length + objectsAt(spec, "initContainers").filter(isSidecar).length;
  const ago = restarts === 0 || lastEnd === "" ? "" : ` (${printAge(lastEnd, nowMs)} ago)`;
  return {
    ready: `${begun.ready + (settled?.ready ?? 0)}/${total}`,
    status: endingReason(pod) ?? settled?.reason ?? begun.reason ?? "",
    restarts: `${restarts}${ago}`,
  };
}

/** What the pod says of itself before its containers are looked at. */
function ownReason(status: JsonObject): string {
  const isGated = objectsAt(status, "conditions").some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : textAt(status, "reason") || textAt(status, "phase");
}

type Begun = {
  readonly ready: number /** Undefined when nothing keeps the pod from running. */;
  readonly reason: string | undefined;
};

/** How far the init containers are; the first one that is not done gives its reason. */
function initialState(spec: JsonObject, status: JsonObject): Begun {
  const declared = objectsAt(spec, "initContainers");
  let ready = 0;
  for (const [index, container] of objectsAt(status, "initContainerStatuses").entries()) {
    const { terminated, waiting } = stateOf(container);
    if (terminated !== undefined && (numberAt(terminated, "exitCode") ?? 0) === 0) continue;
    if (declared.some((each) => each.name === container.name && isSidecar(each)) && container.started === true) {
      if (container.ready === true) ready += 1;
      continue;
    }
    const wait = waiting === undefined ? "" : textAt(waiting, "reason");
    if (terminated !== undefined) return { ready, reason: `Init:${endReason(terminated)}` };
    if (wait !== "" && wait !== "PodInitializing") return { ready, reason: `Init:${wait}` };
    return { ready, reason: `Init:${index}/${declared.length}` };
  }
  return { ready, reason: undefined };
}

/** The word of the containers: of the first one that is not simply running. */
function runningState(status: JsonObject, before: string): { readonly ready: number; readonly reason: string } {
  let [ready, reason, errorReason] = [0, before, ""];
  for (const container of objectsAt(status, "containerStatuses").toReversed()) {
    const { waiting, terminated, running } = stateOf(container);
    const wait = waiting === undefined ? "" : textAt(waiting, "reason");
    if (wait !== "") reason = wait;
    else if (terminated !== undefined) {
      reason = endReason(terminated);
      if ((numberAt(terminated, "exitCode") ?? 0) !== 0) errorReason = reason;
    } else if (running !== undefined && container.ready === true) ready += 1;
  }
  if (reason !== "Completed") return { ready, reason };
  if (ready > 0 && conditionOf(status, "Ready") === "True") return { ready, reason: "Running" };
  return { ready, reason: errorReason || (ready > 0 ? "NotReady" : reason) };
}

/** A pod that is being deleted says so, unless it is over already. */
function endingReason(pod: JsonObject): string | undefined {
  if (metaOf(pod).deletionTimestamp === undefined) return undefined;
  const status = objectAt(pod, "status");
  if (textAt(status, "reason") === "NodeLost") return "Unknown";
  const isOver = ["Succeeded", "Failed"].includes(textAt(status, "phase"));
  return isOver ? undefined : "Terminating";
}

/** While a pod initialises, restarts of all init containers count; later those of sidecars and of the containers proper. */
function restartsOf(spec: JsonObject, status: JsonObject, isRunning: boolean): Count {
  const sidecars = new Set(
    objectsAt(spec, "initContainers")
      .filter(isSidecar)
      .map(({ name }) => name),
  );
  const initial = objectsAt(status, "initContainerStatuses");
  const counted = isRunning
    ? [...initial.filter(({ name }) => sidecars.has(name)), ...objectsAt(status, "containerStatuses")]
    : initial;
  const count: Count = { restarts: 0, lastEnd: "" };
  for (const container of counted) {
    count.restarts += numberAt(container, "restartCount") ?? 0;
    const end = textAt(objectAt(objectAt(container, "lastState"), "terminated"), "finishedAt");
    if (end > count.lastEnd) count.lastEnd = end;
  }
  return count;
}

function endReason(terminated: JsonObject): string {
  const signal = numberAt(terminated, "signal") ?? 0;
  const code = signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode") ?? 0}` : `Signal:${signal}`;
  return textAt(terminated, "reason") || code;
}

function stateOf(container: JsonObject): Partial<Record<"waiting" | "running" | "terminated", JsonObject>> {
  const { waiting, running, terminated } = objectAt(container, "state");
  return {
    ...(isJsonObject(waiting) ? { waiting } : {}),
    ...(isJsonObject(running) ? { running } : {}),
    ...(isJsonObject(terminated) ? { terminated } : {}),
  };
}

/** An init container that runs beside the others. */
function isSidecar(container: JsonObject): boolean {
  return container.restartPolicy === "Always";
}

/** The status of a condition; empty for none. */
export function conditionOf(status: JsonObject, type: string): string {
  const found = objectsAt(status, "conditions").find((condition) => condition.type === type);
  return found === undefined ? "" : textAt(found, "status");
}

/** The objects in a list. */
export function objectsAt(holder: JsonObject, key: string): readonly JsonObject[] {
  return listAt(holder, key).filter(isJsonObject);
}
