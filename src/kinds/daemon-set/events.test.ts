// What is told of what was found, and that it is told once.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { HOOK_PATIENCE_MS } from "./pods/lifecycle.ts";
import { aNode, image, nodes, running, SetOnPaper } from "./testing/set-on-paper.ts";

function eventsIn(set: SetOnPaper): readonly string[] {
  const { plan } = set.look();
  return plan.steps.flatMap((step) =>
    step.do === "event" ? [`${step.severity} ${step.reason}: ${step.message}`] : [],
  );
}
const conditionsOf = ({ status }: SetOnPaper) => status.conditions;

describe("a patch that cannot be applied", () => {
  const bad = (name: string): JsonObject => ({
    selector: { matchLabels: { size: "large" } },
    patch: { spec: { containers: [{ name, $patch: "explode" }] } },
  });

  test("is told once, holds only its nodes, and leaves them what they have", () => {
    const set = running({}, [aNode("a", { size: "large" }), aNode("b")]);
    const before = set.pods.map(({ uid }) => uid);
    set.edit({ patches: [bad("agent")] });
    const { plan } = { plan: set.decide() };
    expect(plan.held).toEqual([expect.objectContaining({ node: "a", reason: "PatchRejected" })]);
    expect(eventsIn(set)).toEqual([expect.stringMatching(/^Warning PatchRejected: spec.patches\[0\].*1 node is held/)]);
    expect(conditionsOf(set)).toContainEqual(expect.objectContaining({ type: "Ready", reason: "PatchRejected" }));
    expect(eventsIn(set)).toEqual([]);
    expect(set.settle().pods.map(({ uid }) => uid)).toEqual(before);
  });

  test("is told anew when something else is wrong with it", () => {
    const set = running({}, [aNode("a", { size: "large" })]);
    set.edit({ patches: [bad("agent")] });
    expect(eventsIn(set)).toHaveLength(1);
    set.edit({ patches: [bad("agent"), bad("other")] });
    expect(eventsIn(set)).toHaveLength(1);
  });
});

describe("an empty selector", () => {
  test.each<[string, JsonObject]>([
    ["of nothing", {}],
    ["of empty parts", { matchLabels: {}, matchExpressions: [] }],
  ])("%s is told in Kruise's word", (_name, selector) => {
    const set = new SetOnPaper({ selector }, nodes(1));
    expect(eventsIn(set)).toEqual([expect.stringMatching(/^Warning SelectingAll: spec.selector: is empty/)]);
    expect(eventsIn(set)).toEqual([]);
    expect(set.pods).toEqual([]);
  });
});

describe("a preDelete hook that nobody releases", () => {
  const held = (): SetOnPaper => {
    const set = running({ lifecycle: { preDelete: { labelsHandler: { hold: "yes" } } } }, nodes(2));
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { hold: "yes" } } });
    set.edit(image("2"));
    return set;
  };

  test("holds its node, says by what, and is looked at again when it takes too long", () => {
    const set = held();
    const sinceMs = set.nowMs;
    set.look();
    const { plan } = set.look();
    const waiting = plan.held.find(({ reason }) => reason === "HandOver");
    expect(waiting?.because).toMatch(/^the preDelete hook holds .* by its label hold=yes$/);
    expect(plan.lookAgainAtMs).toBe(sinceMs + HOOK_PATIENCE_MS);
    expect(set.explain(waiting?.node ?? "")).toMatchObject({ reason: "HandOver", because: waiting?.because });
    expect(set.status.problems).toBeUndefined();
  });

  test("is trouble after that, told once, and the pod stays", () => {
    const set = held();
    set.look();
    const before = set.pods.map(({ uid }) => uid);
    set.nowMs += HOOK_PATIENCE_MS;
    expect(eventsIn(set)).toEqual([
      expect.stringMatching(/^Warning HookOverdue: the preDelete hook holds .* 1 node waits/),
    ]);
    expect(set.status.problems).toEqual([expect.objectContaining({ reason: "HookOverdue", nodes: 1 })]);
    expect(conditionsOf(set)).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "HookOverdue" }),
    );
    expect(eventsIn(set)).toEqual([]);
    expect(set.pods.map(({ uid }) => uid)).toEqual(before);
  });

  test("that is released lets the pod go, however late", () => {
    const set = held();
    set.look();
    set.nowMs += 2 * HOOK_PATIENCE_MS;
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { hold: null } } });
    expect(set.look().deleted).toHaveLength(1);
  });
});

describe("while pods are adopted", () => {
  test("the status counts them, and nothing else is written than what makes them the set's own", () => {
    const set = running({}, nodes(2));
    for (const pod of set.pods) set.change(pod, { metadata: { ownerReferences: null } });
    set.edit(image("2"));
    const plan = set.decide();
    const verbs = plan.steps.map((step) => (step.do === "patch" ? `patch ${step.subresource ?? "pod"}` : step.do));
    expect(verbs.toSorted()).toEqual(["patch pod", "patch pod", "patch status", "status"]);
    expect(plan.steps.at(-1)).toMatchObject({
      status: {
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 0,
        observedGeneration: 2,
      },
    });
  });
});
