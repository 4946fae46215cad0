// A Job as its controller sees it.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, type LabelSelector } from "../../../src/core/labels/label-selector.ts";
import type { Stored } from "../../../src/kube/resource.ts";
import { listAt, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { ApiObject } from "../api-resources.ts";
import { type ObjectView, parseObjectView, timeMs } from "../object-view.ts";

export type JobStatus = {
  /** As the API writes it; empty until the job starts. */
  readonly startTime: string;
  readonly completionTime: string;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Pods that have ended and may still be found again, because their finalizer is there. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly conditions: readonly JsonObject[];
};

export type JobView = ObjectView & {
  readonly selector: LabelSelector;
  readonly template: JsonObject;
  readonly parallelism: number;
  /** Undefined: the job is done when one pod is, and no other runs. */
  readonly completions: number | undefined;
  readonly backoffLimit: number;
  readonly deadlineSeconds: number | undefined;
  readonly ttlSeconds: number | undefined;
  readonly isSuspended: boolean;
  /** Pods of numbered completions are not modelled. */
  readonly isIndexed: boolean;
  /** A pod that is being deleted is replaced only when it has ended. */
  readonly replacesOnlyFailed: boolean;
  readonly status: JobStatus;
};

const BACKOFF_LIMIT = 6;

/** Reads a job. */
export function parseJob(job: Stored<ApiObject>): JobView {
  const { spec = {}, status = {} } = job;
  const selector = compileLabelSelector(spec.selector);
  return {
    ...parseObjectView(job),
    selector: selector.ok ? selector.value : { kind: "nothing" },
    template: objectAt(spec, "template"),
    parallelism: numberAt(spec, "parallelism") ?? 1,
    completions: numberAt(spec, "completions"),
    backoffLimit: numberAt(spec, "backoffLimit") ?? BACKOFF_LIMIT,
    deadlineSeconds: numberAt(spec, "activeDeadlineSeconds"),
    ttlSeconds: numberAt(spec, "ttlSecondsAfterFinished"),
    isSuspended: spec.suspend === true,
    isIndexed: spec.completionMode === "Indexed",
    replacesOnlyFailed: spec.podReplacementPolicy === "Failed",
    status: parseStatus(status),
  };
}

/** The condition that says that the job is over. */
export function finishOf({ conditions }: JobStatus): JsonObject | undefined {
  return conditions.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
}

/** When the job was over. */
export function finishedMs(condition: JsonObject): number {
  return timeMs(textAt(condition, "lastTransitionTime"));
}

function parseStatus(status: JsonObject): JobStatus {
  const uncounted = objectAt(status, "uncountedTerminatedPods");
  const uids = (key: string) => listAt(uncounted, key).filter((uid) => typeof uid === "string");
  const count = (key: string) => numberAt(status, key) ?? 0;
  return {
    ...{ startTime: textAt(status, "startTime"), completionTime: textAt(status, "completionTime") },
    ...{ active: count("active"), ready: count("ready"), terminating: count("terminating") },
    ...{ succeeded: count("succeeded"), failed: count("failed") },
    uncounted: { succeeded: uids("succeeded"), failed: uids("failed") },
    conditions: listAt(status, "conditions").filter(isJsonObject),
  };
}

/** The status as a merge patch writes it. */
export function printStatus(status: JobStatus): Readonly<Record<string, unknown>> {
  const { startTime, completionTime, uncounted, ...rest } = status;
  const texts = (uids: readonly string[]) => (uids.length === 0 ? null : uids);
  return {
    ...rest,
    ...(startTime === "" ? {} : { startTime }),
    ...(completionTime === "" ? {} : { completionTime }),
    uncountedTerminatedPods: { succeeded: texts(uncounted.succeeded), failed: texts(uncounted.failed) },
  };
}
