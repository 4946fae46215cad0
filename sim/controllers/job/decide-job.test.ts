// The next step of a Job as a table: its pods, its status so far, and what follows.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { NOON_MS, type PodWish, podView } from "../testing/views-fixture.ts";
import { decideJob, type JobFailures, TRACKING } from "./decide-job.ts";
import { parseJob } from "./job-view.ts";

const held = { meta: { finalizers: [TRACKING] } };
const active: PodWish = { ...held };
const good: PodWish = { ...held, phase: "Succeeded" };
const bad: PodWish = { ...held, phase: "Failed" };
const leaving: PodWish = { ...held, isTerminating: true };
const none: JobFailures = { count: 0, lastMs: 0 };

function decide(spec: JsonObject, wishes: readonly PodWish[], status: JsonObject = {}, failures = none) {
  const metadata = { name: "j", namespace: "default", uid: "uid-j", resourceVersion: "1" };
  const job = parseJob({ apiVersion: "batch/v1", kind: "Job", metadata, spec, status });
  const pods = wishes.map((wish, place) => podView(`p${place}`, wish));
  return decideJob({ job, pods, failures, nowMs: NOON_MS });
}

const typesOf = (conditions: readonly JsonObject[]) => conditions.map(({ type, reason }) => `${type} ${reason}`);

describe("pods", () => {
  test.each<[string, JsonObject, readonly PodWish[], number, readonly string[]]>([
    ["are made up to the parallelism", { completions: 5, parallelism: 2 }, [], 2, []],
    ["are made up to what is missing", { completions: 3, parallelism: 5 }, [good, active], 1, []],
    ["are made in parallel until one succeeds", { parallelism: 3 }, [active], 2, []],
    ["are not made any more once one has succeeded", { parallelism: 3 }, [active, good], 0, []],
    [
      "that are too many go, those without a node first",
      { completions: 1 },
      [active, { ...active, node: "" }],
      0,
      ["p1"],
    ],
    [
      "all go when the job is suspended",
      { completions: 2, parallelism: 2, suspend: true },
      [active, active],
      0,
      ["p0", "p1"],
    ],
    ["on their way out are replaced at once", { completions: 1 }, [leaving], 1, []],
    ["on their way out are waited for if asked", { completions: 1, podReplacementPolicy: "Failed" }, [leaving], 0, []],
  ])("%s", (_, spec, wishes, create, remove) => {
    const past = { count: 0, lastMs: 0 };
    const calm = wishes.map((wish) => ({ ...wish, status: endedAt("2026-01-01T08:00:00Z") }));
    const decision = decide(spec, calm, {}, past);
    expect([decision.create, decision.remove.map(({ name }) => name)]).toEqual([create, remove]);
  });

  test("wait longer after each failure", () => {
    const failedSo = (count: number) =>
      decide({ completions: 1, backoffLimit: 9 }, [], {}, { count, lastMs: NOON_MS - 5_000 });
    expect(failedSo(1)).toMatchObject({ create: 0, againInMs: 5_000 });
    expect(failedSo(3)).toMatchObject({ create: 0, againInMs: 35_000 });
    expect(failedSo(0)).toMatchObject({ create: 1, againInMs: undefined });
  });
});

describe("the end of a pod", () => {
  test("is noted first and counted when the finalizer is gone", () => {
    const decision = decide({ completions: 5, parallelism: 5 }, [good, bad], { succeeded: 1 });
    expect(decision.interim).toMatchObject({
      succeeded: 1,
      failed: 0,
      uncounted: { succeeded: ["uid-p0"], failed: ["uid-p1"] },
    });
    expect(decision.release.map(({ name }) => name)).toEqual(["p0", "p1"]);
    expect(decision.status).toMatchObject({ succeeded: 2, failed: 1, uncounted: { succeeded: [], failed: [] } });
  });

  test("that was noted before a crash is counted once", () => {
    const noted = { uncountedTerminatedPods: { succeeded: ["uid-p0", "uid-gone"] } };
    expect(decide({ completions: 5 }, [good], noted).status).toMatchObject({ succeeded: 2 });
    expect(decide({ completions: 5 }, [{ phase: "Succeeded" }], { succeeded: 1 }).status).toMatchObject({
      succeeded: 1,
    });
  });
});

describe("the end of a job", () => {
  test("comes with the completions", () => {
    const { interim, status } = decide({ completions: 1 }, [good]);
    expect(typesOf(interim.conditions)).toEqual(["SuccessCriteriaMet CompletionsReached"]);
    expect(typesOf(status.conditions)).toEqual([
      "SuccessCriteriaMet CompletionsReached",
      "Complete CompletionsReached",
    ]);
    expect(status.completionTime).toBe("2026-01-01T12:00:00Z");
  });

  test("comes with the limit of failures, once all pods are gone", () => {
    const { remove, status } = decide({ backoffLimit: 0, completions: 2, parallelism: 2 }, [bad, active]);
    expect(remove.map(({ name }) => name)).toEqual(["p1"]);
    expect(typesOf(status.conditions)).toEqual(["FailureTarget BackoffLimitExceeded"]);
    expect(status).toMatchObject({ active: 0, terminating: 1, failed: 2 });
    const told = { failed: 2, conditions: [{ type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded" }] };
    expect(typesOf(decide({ backoffLimit: 0 }, [], told).status.conditions)).toContain("Failed BackoffLimitExceeded");
  });

  test("comes with the deadline, and not while the job is suspended", () => {
    const started = { startTime: "2026-01-01T11:59:50Z" };
    expect(decide({ activeDeadlineSeconds: 20 }, [active], started)).toMatchObject({ remove: [], againInMs: 10_000 });
    expect(typesOf(decide({ activeDeadlineSeconds: 10 }, [], started).status.conditions)).toEqual([
      ...["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"],
    ]);
    expect(decide({ activeDeadlineSeconds: 10, suspend: true }, [], started).status.conditions).toMatchObject([
      { type: "Suspended", status: "True" },
    ]);
  });

  test("comes with too many restarts in place", () => {
    const restarting = {
      ...active,
      spec: { restartPolicy: "OnFailure" },
      status: { containerStatuses: [{ restartCount: 2 }] },
    };
    expect(typesOf(decide({ backoffLimit: 2 }, [restarting]).interim.conditions)).toEqual([
      "FailureTarget BackoffLimitExceeded",
    ]);
    expect(decide({ backoffLimit: 3 }, [restarting]).interim.conditions).toEqual([]);
  });
});

function endedAt(time: string): JsonObject {
  return { containerStatuses: [{ state: { terminated: { finishedAt: time } } }] };
}
