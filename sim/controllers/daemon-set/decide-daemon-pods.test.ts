// The manage step as a table: what is on one node, and which pods come and go there.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { nodeView, type PodWish, podView, setView, sightOf } from "../testing/views-fixture.ts";
import { decideDaemonPods } from "./decide-daemon-pods.ts";

const open = nodeView("a");
const closed = nodeView("a", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } });
const evicting = nodeView("a", { spec: { taints: [{ key: "gone", effect: "NoExecute" }] } });
const surging: JsonObject = {
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
};
const old = (more: PodWish = {}): PodWish => ({ hash: "old", ...more });
const young = (more: PodWish = {}): PodWish => ({ ...more, meta: { creationTimestamp: "2026-01-01T11:20:00Z" } });

describe("without surge", () => {
  test.each<[string, typeof open, readonly PodWish[], readonly string[], readonly string[]]>([
    ["an empty node gets a pod", open, [], ["a"], []],
    ["a node with a pod needs none", open, [{}], [], []],
    ["a node that takes no new pods gets none", closed, [], [], []],
    ["a pod may stay where no new one would come", closed, [{}], [], []],
    ["a pod must leave a node that evicts", evicting, [{}], [], ["p0"]],
    ["a pod that leaves already is not deleted again", evicting, [{ isTerminating: true }], [], []],
    ["nothing comes while the old pod is on its way out", open, [{ isTerminating: true }], [], []],
    ["a failed pod goes", open, [{ phase: "Failed" }], [], ["p0"]],
    ["a pod that ended well goes", open, [{ phase: "Succeeded" }], [], ["p0"]],
    ["of two the older stays", open, [young(), {}], [], ["p0"]],
    ["of two the one with a node stays, however old", open, [{ node: "", spec: pinned("a") }, young()], [], ["p0"]],
    ["an old template alone is no reason", open, [old()], [], []],
  ])("%s", (_, node, wishes, create, remove) => {
    const pods = wishes.map((wish, place) => podView(`p${place}`, wish));
    const decision = decideDaemonPods(sightOf(setView(), [node], pods));
    expect([decision.create, decision.remove.map(({ name }) => name)]).toEqual([create, remove]);
  });
});

describe("with surge", () => {
  test.each<[string, readonly PodWish[], readonly string[], readonly string[]]>([
    ["a node whose only pod is on its way out gets another at once", [{ isTerminating: true }], ["a"], []],
    ["the old pod stays while the new one is not ready", [old(), { isReady: false }], [], []],
    ["the old pod goes when the new one is ready", [old(), {}], [], ["p0"]],
    ["the old pod goes when it is not ready itself", [old({ isReady: false }), { isReady: false }], [], ["p0"]],
    ["of two old ones the younger goes", [old(), young(old())], [], ["p1"]],
  ])("%s", (_, wishes, create, remove) => {
    const pods = wishes.map((wish, place) => podView(`p${place}`, wish));
    const decision = decideDaemonPods(sightOf(setView(surging), [open], pods));
    expect([decision.create, decision.remove.map(({ name }) => name)]).toEqual([create, remove]);
  });
});

test("a failed pod waits for its pause, and the decision says how long", () => {
  const failed = podView("p", { phase: "Failed" });
  const decision = decideDaemonPods(sightOf(setView(), [open], [failed], { failureWaitMs: () => 700 }));
  expect(decision).toEqual({ create: [], remove: [], failedOn: [], againInMs: 700 });
});

test("a pod made for a node that is gone goes if it was never bound, and is left alone otherwise", () => {
  const unbound = podView("p", { node: "", spec: pinned("b") });
  const bound = podView("q", { node: "b" });
  expect(decideDaemonPods(sightOf(setView(), [open], [podView("r"), unbound, bound])).remove).toEqual([unbound]);
});

test("performing the decision leaves nothing to decide", () => {
  const wish = fc.record({
    node: fc.constantFrom("a", "b", "c"),
    hash: fc.constantFrom("old", "new"),
    phase: fc.constantFrom("Running", "Pending", "Failed", "Succeeded"),
    isTerminating: fc.boolean(),
  });
  const nodes = [open, nodeView("b"), nodeView("c", { spec: { taints: [{ key: "x", effect: "NoExecute" }] } })];
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 8 }), fc.boolean(), (wishes, isSurging) => {
      const set = setView(isSurging ? surging : {});
      const pods = wishes.map((each, place) => podView(`p${place}`, each));
      const { create, remove } = decideDaemonPods(sightOf(set, nodes, pods));
      const left = pods.filter((pod) => !remove.includes(pod));
      const made = create.map((node) => podView(`made-${node}`, { node, phase: "Pending" }));
      const next = decideDaemonPods(sightOf(set, nodes, [...left, ...made]));
      // What was just removed may leave a node empty; what was just made is never undone.
      expect(next.remove).toEqual([]);
      expect(next.create.filter((node) => create.includes(node))).toEqual([]);
    }),
  );
});

function pinned(node: string): JsonObject {
  const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }];
  const required = { nodeSelectorTerms: terms };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
}
