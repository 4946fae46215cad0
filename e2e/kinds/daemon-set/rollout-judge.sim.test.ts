// The judge of rollouts is shown what it must find.
import { expect, test } from "vitest";
import type { Committed } from "../../runtime/observer.ts";
import { judgeRollout, servingWith } from "./rollout-judge.ts";

type Told = {
  readonly isReady?: boolean;
  readonly isLeaving?: boolean;
  readonly isGone?: boolean;
  readonly tag?: string;
};

const changes = (...told: readonly (readonly [name: string, node: string, Told])[]): readonly Committed[] =>
  told.map(([name, node, { isReady = true, isLeaving = false, isGone = false, tag = "1" }], index) => ({
    ...{ revision: index + 1, resource: "pods", namespace: "default", name },
    object: isGone
      ? undefined
      : {
          metadata: { name, ...(isLeaving ? { deletionTimestamp: "2026-03-01T12:00:00Z" } : {}) },
          spec: { nodeName: node, containers: [{ name: "agent", image: `agent:${tag}` }] },
          status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
        },
  }));
const start = [
  ["a1", "a", {}],
  ["b1", "b", {}],
] as const;

test("a rollout node by node is fine", () => {
  const told = changes(
    ...start,
    ["a1", "a", { isLeaving: true }],
    ["a1", "a", { isGone: true }],
    ["a2", "a", { tag: "2" }],
  );
  expect(judgeRollout(told, 2, 1)).toEqual({ twins: [], breaches: [], unavailableMax: 1, taken: 1 });
  expect([servingWith(told, "1"), servingWith(told, "2")]).toEqual([1, 1]);
});

test("a second live pod on a node is told, also before it is ready", () => {
  const { twins } = judgeRollout(changes(...start, ["a2", "a", { isReady: false }]), 2, 1);
  expect(twins).toEqual(["at 3 a has a1 and a2"]);
});

test("a pod that ends beside its successor is no twin", () => {
  const told = changes(...start, ["a1", "a", { isLeaving: true }], ["a2", "a", {}]);
  expect(judgeRollout(told, 2, 1).twins).toEqual([]);
});

test("a pod that is taken when the budget is spent is told", () => {
  const told = changes(...start, ["a1", "a", { isLeaving: true }], ["b1", "b", { isLeaving: true }]);
  expect(judgeRollout(told, 2, 1)).toMatchObject({ breaches: ["at 4 b1 was taken, the 2th of 1"], unavailableMax: 2 });
});

test("a pod that stopped serving by itself is no breach", () => {
  const told = changes(...start, ["a1", "a", { isReady: false }], ["b1", "b", { isReady: false }]);
  expect(judgeRollout(told, 2, 1)).toMatchObject({ breaches: [], unavailableMax: 2, taken: 0 });
});
