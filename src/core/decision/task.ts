// A task: a Job that we made, as decisions see it. It waits suspended until it may start, so that the queue of all tasks is in the
// cluster for everybody to see, runs, and is over.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { instantIn, textIn } from "./object-identity.ts";
import type { StoredObject } from "./snapshot.ts";

/** On every Job of ours and on its pods, whatever the value: other people's Jobs are not even read. */
export const TASK_LABEL = "farrier.dev/task";

export type TaskState =
  | { readonly is: "queued" }
  | { readonly is: "running" }
  | { readonly is: "succeeded"; readonly endedMs: number }
  | {
      readonly is: "failed";
      readonly endedMs: number;
      /** In the words of the Job controller: `BackoffLimitExceeded`. */
      readonly reason: string;
      readonly message: string;
    };

/** Reads how far a Job of whatever shape is; never throws. An end without an instant counts from the beginning of time. */
export function taskState({ object }: StoredObject): TaskState {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const status = isJsonObject(object.status) ? object.status : {};
  const conditions = isJsonList(status.conditions) ? status.conditions.filter(isTrue) : [];
  const failed = conditions.find(({ type }) => type === "Failed");
  if (failed !== undefined) {
    return { is: "failed", endedMs: endOf(failed), reason: textIn(failed.reason), message: textIn(failed.message) };
  }
  const complete = conditions.find(({ type }) => type === "Complete");
  if (complete !== undefined) return { is: "succeeded", endedMs: endOf(complete) };
  return { is: spec.suspend === true ? "queued" : "running" };
}

function isTrue(condition: Json): condition is JsonObject {
  return isJsonObject(condition) && condition.status === "True";
}

function endOf({ lastTransitionTime }: JsonObject): number {
  return instantIn(lastTransitionTime) ?? 0;
}
