// A build or signing that is there as a Job: what it makes, by which order, and how far it is. All of that is on the Job itself, so
// that nothing is forgotten with the process that made it.
import { type ObjectIdentity, textIn } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { TASK_LABEL, type TaskState, taskState } from "../../../core/decision/task.ts";
import type { Stage } from "./build-order.ts";
import { RECIPE } from "./build-recipe.ts";

/** Annotations of the Job. */
export const IMAGE = "module.farrier.dev/image";
export const ORDER = "module.farrier.dev/order";
export const ATTEMPT = "module.farrier.dev/attempt";
/** What the registry has counts for nothing until this Job has succeeded: it may be what an earlier order left there. */
export const INSISTS = "module.farrier.dev/insists";
/** An event has told how it ended. */
export const TOLD = "module.farrier.dev/told";

export type BuildTask = Pick<ObjectIdentity, "namespace" | "name" | "uid" | "isLeaving" | "createdMs"> & {
  /** The UID of the Module; undefined when somebody took it away. */
  readonly owner: string | undefined;
  readonly stage: Stage;
  readonly image: string;
  readonly order: string;
  /** Empty of a Job that an earlier version made. */
  readonly recipe: string;
  /** From 0; more than that when an image that was built is not there. */
  readonly attempt: number;
  readonly insists: boolean;
  readonly isTold: boolean;
  readonly state: TaskState;
};

/** Reads a Job of ours, whatever was done to it; never throws. */
export function parseBuildTask(job: StoredObject): BuildTask {
  const { namespace, name, uid, isLeaving, createdMs, controllerUid, annotations, labels } = job;
  const attempt = Number(annotations[ATTEMPT]);
  return {
    ...{ namespace, name, uid, isLeaving, createdMs, owner: controllerUid, state: taskState(job) },
    stage: labels[TASK_LABEL] === "sign" ? "sign" : "build",
    image: textIn(annotations[IMAGE]),
    order: textIn(annotations[ORDER]),
    recipe: textIn(annotations[RECIPE]),
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 0,
    insists: annotations[INSISTS] !== undefined,
    isTold: annotations[TOLD] !== undefined,
  };
}

/** Whether its pods may push something; also when it is being deleted, as long as it is there. */
export function isRunning({ state }: BuildTask): boolean {
  return state.is === "running";
}

/** Whether it is over, well or badly. */
export function hasEnded({ state }: BuildTask): boolean {
  return state.is === "succeeded" || state.is === "failed";
}
