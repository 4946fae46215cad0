// What a Job needs next: pods made or removed, finished pods counted exactly once, and the conditions that say how it ended.
// Mirrors syncJob of Kubernetes 1.35 for jobs without indexes and policies: a pod's finalizer holds it until its end is in the
// status, first as an uncounted UID, then in the counter.
import { timestamp } from "../../../src/core/decision/conditions.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { timeMs } from "../object-view.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { ensureCondition, hasCondition, isTrue, jobCondition } from "./job-conditions.ts";
import type { JobStatus, JobView } from "./job-view.ts";

export const TRACKING = "batch.kubernetes.io/job-tracking";

/** Failures since the last success; a job that keeps failing has to wait. */
export type JobFailures = { readonly count: number; readonly lastMs: number };

export type JobSight = {
  readonly job: JobView;
  readonly pods: readonly PodView[];
  readonly failures: JobFailures;
  readonly nowMs: number;
};

export type JobDecision = {
  readonly create: number;
  readonly remove: readonly PodView[];
  /** To be written before any finalizer is taken away. */
  readonly interim: JobStatus;
  /** Pods that need not be held any more. */
  readonly release: readonly PodView[];
  /** To be written when all of them are released. */
  readonly status: JobStatus;
  readonly failures: JobFailures;
  readonly againInMs: number | undefined;
};

const BACK_OFF_MS = 10_000;
const BACK_OFF_MAX_MS = 600_000;
const PODS_PER_RUN_MAX = 500;

/** Decides about a job that is not over. */
export function decideJob(sight: JobSight): JobDecision {
  const { job, pods, nowMs } = sight;
  const tally = tallyOf(sight);
  const startTime = job.status.startTime === "" && !job.isSuspended ? timestamp(nowMs) : job.status.startTime;
  const verdict = verdictOf(sight, tally, startTime);
  const moves =
    verdict === undefined ? movesOf(sight, tally) : { create: 0, remove: tally.active, againInMs: undefined };
  const removed = new Set(moves.remove);
  const active = tally.active.length - removed.size + moves.create;
  const finish = verdict ?? completionOf(job, tally, active, nowMs);
  const counted = {
    ...job.status,
    ...{ startTime, active },
    ready: tally.active.filter((pod) => pod.isReady && !removed.has(pod)).length,
    terminating: pods.filter((pod) => pod.isTerminating && !isFinished(pod)).length + removed.size,
  };
  const release = tally.held.filter((pod) => job.isTerminating || finish !== undefined || isOver(pod, job));
  const interim = {
    ...counted,
    ...suspension(sight, counted, finish),
    uncounted: uncountedWith(job, release, finish),
  };
  const told = finish === undefined ? interim : { ...interim, conditions: withInterim(interim.conditions, finish) };
  const againInMs = soonest(moves.againInMs, deadlineInMs(job, startTime, nowMs));
  return {
    ...moves,
    interim: told,
    release,
    status: settled(told, finish, nowMs),
    failures: tally.failures,
    againInMs,
  };
}

type Tally = {
  readonly active: readonly PodView[];
  /** Pods whose end is not in the counters yet. */
  readonly held: readonly PodView[];
  readonly succeeded: number;
  readonly failed: number;
  readonly failures: JobFailures;
};

function tallyOf({ job, pods, failures }: JobSight): Tally {
  const held = pods.filter(({ finalizers }) => finalizers.includes(TRACKING));
  const { uncounted, succeeded, failed } = job.status;
  const fresh = held.filter(({ uid }) => !uncounted.succeeded.includes(uid) && !uncounted.failed.includes(uid));
  const newSucceeded = fresh.filter(({ phase }) => phase === "Succeeded");
  const newFailed = fresh.filter((pod) => pod.phase !== "Succeeded" && isOver(pod, job));
  return {
    active: pods.filter((pod) => !isFinished(pod) && !pod.isTerminating),
    held,
    succeeded: succeeded + uncounted.succeeded.length + newSucceeded.length,
    failed: failed + uncounted.failed.length + newFailed.length,
    failures: failuresAfter(failures, newSucceeded, newFailed),
  };
}

/** Pods that are being deleted count as failed: they may never get to say so. */
function isOver(pod: PodView, { replacesOnlyFailed }: JobView): boolean {
  return isFinished(pod) || (pod.isTerminating && !replacesOnlyFailed);
}

function failuresAfter(before: JobFailures, succeeded: readonly PodView[], failed: readonly PodView[]): JobFailures {
  const lastSuccessMs = Math.max(0, ...succeeded.map(endMs));
  const later = failed.filter((pod) => endMs(pod) > lastSuccessMs);
  const base = succeeded.length > 0 ? { count: 0, lastMs: 0 } : before;
  if (later.length === 0) return base;
  return { count: base.count + later.length, lastMs: Math.max(base.lastMs, ...later.map(endMs)) };
}

function endMs(pod: PodView): number {
  if (pod.finishedMs > 0) return pod.finishedMs;
  return pod.readySinceMs > 0 ? pod.readySinceMs : pod.createdMs;
}

/** The end that was decided before, or one that failures or time bring about now. */
function verdictOf({ job, pods, nowMs }: JobSight, { failed }: Tally, startTime: string): JsonObject | undefined {
  const { conditions } = job.status;
  const decided = conditions.find((each) => isTrue(each, "SuccessCriteriaMet") || isTrue(each, "FailureTarget"));
  if (decided !== undefined) return decided;
  const failure = (reason: string, message: string) => jobCondition("FailureTarget", { reason, message }, nowMs);
  if (failed > job.backoffLimit || restartsTooOften(job, pods))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const leftMs = deadlineInMs(job, startTime, nowMs);
  if (leftMs !== undefined && leftMs <= 0)
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  return undefined;
}

/** Containers that are restarted in place count like pods that failed. */
function restartsTooOften(job: JobView, pods: readonly PodView[]): boolean {
  const running = pods.filter((pod) => pod.restartPolicy === "OnFailure" && !isFinished(pod));
  const restarts = running.reduce((sum, pod) => sum + pod.restarts, 0);
  return job.backoffLimit === 0 ? restarts > 0 : running.length > 0 && restarts >= job.backoffLimit;
}

function deadlineInMs({ deadlineSeconds, isSuspended }: JobView, startTime: string, nowMs: number): number | undefined {
  if (deadlineSeconds === undefined || isSuspended || startTime === "") return undefined;
  return timeMs(startTime) + deadlineSeconds * 1000 - nowMs;
}

type Moves = { readonly create: number; readonly remove: readonly PodView[]; readonly againInMs: number | undefined };

function movesOf({ job, pods, nowMs }: JobSight, tally: Tally): Moves {
  const { active, succeeded, failures } = tally;
  const none: Moves = { create: 0, remove: [], againInMs: undefined };
  if (job.isTerminating) return none;
  if (job.isSuspended) return { ...none, remove: active };
  const wanted = wantedActive(job, active.length, succeeded);
  if (active.length > wanted) {
    const byWorth = active.toSorted((a, b) => worthOf(a) - worthOf(b) || b.createdMs - a.createdMs);
    return { ...none, remove: byWorth.slice(0, Math.min(active.length - wanted, PODS_PER_RUN_MAX)) };
  }
  const leaving = job.replacesOnlyFailed ? pods.filter((pod) => pod.isTerminating && !isFinished(pod)).length : 0;
  const missing = wanted - leaving - active.length;
  if (missing <= 0) return none;
  const delayMs = failures.count === 0 ? 0 : Math.min(BACK_OFF_MAX_MS, BACK_OFF_MS * 2 ** (failures.count - 1));
  const waitMs = failures.lastMs + delayMs - nowMs;
  if (failures.count > 0 && waitMs > 0) return { ...none, againInMs: waitMs };
  return { ...none, create: Math.min(missing, PODS_PER_RUN_MAX) };
}

function wantedActive({ completions, parallelism }: JobView, active: number, succeeded: number): number {
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Pods without a node go first, then those that are not ready. */
function worthOf(pod: PodView): number {
  return pod.nodeName === "" ? 0 : pod.isReady ? 2 : 1;
}

function completionOf({ completions }: JobView, { succeeded }: Tally, active: number, nowMs: number) {
  const isEnough = completions === undefined ? succeeded > 0 : succeeded >= completions;
  if (!isEnough || active > 0) return undefined;
  const why = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
  return jobCondition("SuccessCriteriaMet", why, nowMs);
}

/** A job that is suspended or resumed says so; its time to finish begins anew. */
function suspension({ job, nowMs }: JobSight, status: JobStatus, finish: JsonObject | undefined): Partial<JobStatus> {
  if (finish !== undefined || job.isTerminating) return {};
  const why = job.isSuspended
    ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" };
  const conditions = ensureCondition(status.conditions, why, nowMs);
  if (conditions === status.conditions) return {};
  return job.isSuspended ? { conditions } : { conditions, startTime: timestamp(nowMs) };
}

/** The UIDs of all pods that are to be counted; one that is held no more has been counted by then. */
function uncountedWith(job: JobView, release: readonly PodView[], finish: JsonObject | undefined) {
  const { succeeded, failed } = job.status.uncounted;
  const isFailure = finish?.type === "FailureTarget";
  const isSuccess = (pod: PodView) => pod.phase === "Succeeded" && !failed.includes(pod.uid);
  const isFailed = (pod: PodView) => !isSuccess(pod) && (isOver(pod, job) || isFailure);
  const merged = (uids: readonly string[], pods: readonly PodView[]) => [
    ...new Set([...uids, ...pods.map(({ uid }) => uid)]),
  ];
  return { succeeded: merged(succeeded, release.filter(isSuccess)), failed: merged(failed, release.filter(isFailed)) };
}

function withInterim(conditions: readonly JsonObject[], finish: JsonObject): readonly JsonObject[] {
  return hasCondition(conditions, finish) ? conditions : [...conditions, finish];
}

/** The status once all finalizers are gone: what was uncounted counts, and the job is over when no pod is on its way out. */
function settled(interim: JobStatus, finish: JsonObject | undefined, nowMs: number): JobStatus {
  const { uncounted } = interim;
  const counted: JobStatus = {
    ...interim,
    succeeded: interim.succeeded + uncounted.succeeded.length,
    failed: interim.failed + uncounted.failed.length,
    uncounted: { succeeded: [], failed: [] },
  };
  if (finish === undefined || counted.terminating > 0) return counted;
  const isSuccess = finish.type === "SuccessCriteriaMet";
  const { reason = "", message = "" } = finish;
  const end = jobCondition(
    isSuccess ? "Complete" : "Failed",
    { reason: String(reason), message: String(message) },
    nowMs,
  );
  const completion = isSuccess ? { completionTime: timestamp(nowMs) } : {};
  return { ...counted, ...completion, conditions: [...counted.conditions, end] };
}

function soonest(one: number | undefined, other: number | undefined): number | undefined {
  const times = [one, other].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
}
