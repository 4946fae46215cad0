import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { prune, UNUSED_SINCE, type Use } from "./prune.ts";
import { parseWorkload } from "./workload.ts";

const GRACE = 600_000;
const NOW = Date.parse("2026-01-01T01:00:00Z");
const longAgo = "2026-01-01T00:00:00Z";
const unused: Use = { isWanted: false, boundNodes: 0, pods: 0 };
const empty = {
  ...{ observedGeneration: 3, desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0 },
};
const aWorkload = (since: string | undefined, status: JsonObject = {}, metadata: JsonObject = {}) =>
  parseWorkload({
    metadata: {
      ...{ namespace: "s", name: "a", uid: "u", generation: 3 },
      annotations: since === undefined ? {} : { [UNUSED_SINCE]: since },
      ...metadata,
    },
    status: { ...empty, ...status },
  });
const target = { apiVersion: "apps/v1", kind: "DaemonSet", namespace: "s", name: "a" };
const marking = (value: string | null) => ({ metadata: { uid: "u", annotations: { [UNUSED_SINCE]: value } } });

describe("a workload that nobody needs", () => {
  test("is marked with the instant first", () => {
    const { step } = prune(aWorkload(undefined), unused, GRACE, NOW);
    expect(step).toMatchObject({ do: "patch", target, patch: marking("2026-01-01T01:00:00Z") });
  });
  test("is kept until the grace period has passed, which a timer looks at again", () => {
    const since = "2026-01-01T00:55:00Z";
    const answer = prune(aWorkload(since), unused, GRACE, NOW);
    expect([answer.step, answer.lookAgainAtMs]).toEqual([undefined, Date.parse(since) + GRACE]);
  });
  test("is deleted after that, by its UID and with its revisions", () => {
    const { step, keptBecause } = prune(aWorkload(longAgo), unused, GRACE, NOW);
    expect(step).toMatchObject({ do: "delete", target, uid: "u", propagation: "Background" });
    expect(keptBecause).toBeUndefined();
  });
  test("is deleted at its time although the mark comes from a clock that is ahead", () => {
    const ahead = aWorkload("2026-01-02T00:00:00Z");
    expect(prune(ahead, unused, GRACE, NOW).lookAgainAtMs).toBe(NOW + GRACE);
    expect(prune(ahead, unused, 0, NOW).step?.do).toBe("delete");
  });
  test.each([
    { name: "its controller has not looked at it", status: { observedGeneration: 2 } },
    { name: "its controller wants pods of it", status: { desiredNumberScheduled: 1 } },
    { name: "a pod of it runs somewhere", status: { currentNumberScheduled: 1 } },
    { name: "a pod of it runs where it should not", status: { numberMisscheduled: 1 } },
  ])("is kept while $name", ({ status }) => {
    expect(prune(aWorkload(longAgo, status), unused, GRACE, NOW).step).toBeUndefined();
  });
  test("is not deleted twice", () => {
    const leaving = aWorkload(longAgo, {}, { deletionTimestamp: longAgo });
    expect(prune(leaving, unused, GRACE, NOW).step).toBeUndefined();
  });
});

describe("a workload is needed", () => {
  test.each([
    { name: "when a node wants it", use: { ...unused, isWanted: true } },
    { name: "when a node is bound to it, in scope or not", use: { ...unused, boundNodes: 1 } },
    { name: "when a pod of it is left", use: { ...unused, pods: 1 } },
  ])("$name: nothing is done, and a mark is taken away", ({ use }) => {
    expect(prune(aWorkload(undefined), use, GRACE, NOW).step).toBeUndefined();
    expect(prune(aWorkload(longAgo), use, GRACE, NOW).step).toMatchObject({ do: "patch", patch: marking(null) });
  });
});
