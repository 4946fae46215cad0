import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyPlan, isQuiet, joinPlans, orderPlan, type Plan } from "./plan.ts";
import { type PatchStep, type Step, stepId, targetOf } from "./step.ts";

function aLabel(name: string, after: readonly string[] = []): PatchStep {
  const target = { apiVersion: "v1", kind: "Node", name };
  return { do: "patch", target, patchType: "merge", patch: {}, why: `${name} is in scope`, after };
}

const aDaemonSet: Step = {
  do: "apply",
  object: { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { namespace: "storage", name: "nydus" } },
  why: "two nodes run 6.1",
};

const ids = (plan: Plan) => plan.steps.map(stepId);

describe("orderPlan()", () => {
  test("puts a step behind those it waits for", () => {
    const plan = orderPlan({ steps: [aLabel("z"), aLabel("a", [stepId(aDaemonSet)]), aDaemonSet], held: [] });
    expect(ids(plan)).toEqual(["apply apps/v1 DaemonSet storage/nydus", "patch v1 Node a", "patch v1 Node z"]);
  });

  test("puts what is patient behind what is not, and still before what waits for it", () => {
    const patient = { ...aLabel("a"), isPatient: true };
    const plan = orderPlan({ steps: [patient, { ...aLabel("b"), isPatient: true }, aLabel("z")], held: [] });
    expect(ids(plan)).toEqual(["patch v1 Node z", "patch v1 Node a", "patch v1 Node b"]);
    const waited = orderPlan({ steps: [patient, aLabel("z", [stepId(patient)])], held: [] });
    expect(ids(waited)).toEqual(["patch v1 Node a", "patch v1 Node z"]);
  });

  test("gives the same bytes for any order of steps and holds", () => {
    const steps = [aLabel("a", [stepId(aDaemonSet)]), aLabel("b"), aLabel("c", [stepId(aLabel("b"))]), aDaemonSet];
    const held = ["x", "y"].map((node) => ({ node, reason: "BudgetSpent" as const, because: "2 of 2 are down" }));
    const expected = JSON.stringify(orderPlan({ steps, held }));
    fc.assert(
      fc.property(fc.shuffledSubarray(steps, { minLength: 4 }), fc.shuffledSubarray(held, { minLength: 2 }), (s, h) => {
        expect(JSON.stringify(orderPlan({ steps: s, held: h }))).toBe(expected);
      }),
    );
  });

  test.each([
    ["a step twice", [aLabel("a"), aLabel("a")], /a step twice: patch v1 Node a/],
    ["a wait for nothing", [aLabel("a", ["create v1 Pod b"])], /waits for "create v1 Pod b", which is not in the plan/],
    ["a circle", [aLabel("a", ["patch v1 Node b"]), aLabel("b", ["patch v1 Node a"])], /waits for itself/],
  ])("refuses %s, which is our mistake", (_name, steps, complaint) => {
    expect(() => orderPlan({ steps, held: [] })).toThrow(complaint);
  });
});

describe("joinPlans()", () => {
  test("keeps every step and hold, and looks again at the earliest instant", () => {
    const held = [{ node: "w-1", reason: "HandOver" as const, because: "the old pod is terminating" }];
    const joined = joinPlans([
      { steps: [aLabel("b")], held, lookAgainAtMs: 20 },
      { steps: [aLabel("a")], held: [], lookAgainAtMs: 10 },
      emptyPlan,
    ]);
    expect({ ids: ids(joined), held: joined.held, at: joined.lookAgainAtMs }).toEqual({
      ids: ["patch v1 Node a", "patch v1 Node b"],
      held,
      at: 10,
    });
  });

  test("takes a plan per node of a very large fleet", () => {
    const plans = Array.from({ length: 200_000 }, (_, index) => ({ ...emptyPlan, lookAgainAtMs: 200_000 - index }));
    expect(joinPlans(plans).lookAgainAtMs).toBe(1);
  });

  test("of nothing is a quiet plan that never needs another look", () => {
    expect(joinPlans([])).toEqual(emptyPlan);
    expect(isQuiet(joinPlans([]))).toBe(true);
    expect(isQuiet({ steps: [aDaemonSet], held: [] })).toBe(false);
  });
});

test("every step names its target and has an identity of its own", () => {
  const pod = { apiVersion: "v1", kind: "Pod", namespace: "n", name: "p" };
  const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "n", name: "p" } };
  const steps: readonly Step[] = [
    { do: "create", object, why: "" },
    { do: "apply", object, why: "" },
    { do: "patch", target: pod, patchType: "merge", patch: {}, why: "" },
    { do: "patch", target: pod, subresource: "resize", patchType: "merge", patch: {}, why: "" },
    { do: "delete", target: pod, uid: "1", propagation: "Background", why: "" },
    { do: "status", target: pod, status: {}, why: "" },
    { do: "event", about: pod, severity: "Normal", reason: "PodCreated", message: "", why: "" },
    { do: "event", about: pod, severity: "Normal", reason: "PodReplaced", message: "", why: "" },
  ];
  expect(steps.map(targetOf)).toEqual(steps.map(() => pod));
  expect(new Set(steps.map(stepId)).size).toBe(steps.length);
});
