// Decisions about a set as a whole: patches by node label, updates in place, bad sets, and what is said of a node.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { aNode, image, nodes, rolling, running, SetOnPaper } from "./testing/set-on-paper.ts";

const taint = { key: "x", effect: "NoSchedule" };

describe("patches by node label", () => {
  const patch = (value: string) => ({
    selector: { matchLabels: { size: "large" } },
    patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value }] }] } },
  });
  const mixed = [aNode("a", { size: "large" }), aNode("b"), aNode("c", { size: "large" }), aNode("d")];
  const revisionsOf = (set: SetOnPaper) => set.pods.map(({ labels }) => labels["controller-revision-hash"]);
  const envOn = (set: SetOnPaper, node: string) => JSON.stringify((set.podOn(node).spec as JsonObject).containers);

  test("restart only the nodes that an edit renders differently; the others are relabelled", () => {
    const set = running({ patches: [patch("1")], ...rolling({ maxUnavailable: 4 }) }, mixed);
    const before = new Map(set.pods.map(({ node, uid }) => [node, uid]));
    set.edit({ patches: [patch("2")] });
    expect(set.look().deleted).toHaveLength(2);
    set.settle();
    const kept = set.pods.filter(({ node, uid }) => before.get(node) === uid).map(({ node }) => node);
    expect(kept.sort()).toEqual(["b", "d"]);
    expect(new Set(revisionsOf(set))).toEqual(new Set([set.status.updateRevision]));
    expect(envOn(set, "a")).toContain('"2"');
    expect(set.status.patches).toEqual([{ index: 0, matched: 2, updated: 2 }]);
  });

  test("are relabelled also while the update is paused, since nobody is disturbed", () => {
    const set = running({ patches: [patch("1")], ...rolling({ paused: true }) }, mixed);
    set.edit({ patches: [patch("2")] });
    // Who has not heard of the edit would else put them back, and so on in turns.
    const relabelling = set.decide().steps.filter((step) => step.do === "patch" && step.target.kind === "Pod");
    expect(relabelling).toMatchObject([{ premises: [] }, { premises: [] }]);
    set.settle();
    expect(revisionsOf(set).filter((hash) => hash === set.status.updateRevision)).toHaveLength(2);
    expect(set.status.patches).toEqual([{ index: 0, matched: 2, updated: 0 }]);
  });

  test("keep of the nodes that an edit touches as many as the partition says", () => {
    const fleet = [...nodes(10), ...["x1", "x2", "x3"].map((name) => aNode(name, { size: "large" }))];
    const set = running({ patches: [patch("1")], ...rolling({ maxUnavailable: 9, partition: 2 }) }, fleet);
    set.edit({ patches: [patch("2")] });
    expect(set.look().deleted).toHaveLength(1);
    expect(set.settle().status).toMatchObject({ updatedNumberScheduled: 11 });
  });

  test("come with a label of the node once it has lasted, and go with it", () => {
    const set = running({ patches: [patch("1")] }, [aNode("a")]);
    set.cluster.put(aNode("a", { size: "large" }));
    set.relabelledMs.set("a", set.nowMs);
    const settledMs = set.nowMs + 5_000;
    expect(set.look()).toMatchObject({
      deleted: [],
      plan: { held: [{ node: "a", reason: "Settling" }], lookAgainAtMs: settledMs },
    });
    set.nowMs = settledMs;
    expect(set.look().deleted).toHaveLength(1);
    set.settle();
    expect(envOn(set, "a")).toContain("SIZE");
    set.cluster.put(aNode("a"));
    set.relabelledMs.clear();
    expect(envOn(set.settle(), "a")).not.toContain("SIZE");
  });

  test("come with a label of the node although another, which no patch asks for, changes all the time", () => {
    const set = running({ patches: [patch("1")] }, [aNode("a")]);
    set.cluster.put(aNode("a", { size: "large" }));
    const young = (_node: string, keys?: readonly string[]) => (keys?.includes("tick") === false ? 0 : set.nowMs);
    Object.assign(set.cluster, { factsSinceMs: young });
    expect(set.look().deleted).toHaveLength(1);
  });

  test("come back with a rollback, which restarts nothing that already runs it", () => {
    const set = running({ patches: [patch("1")], ...rolling({ maxUnavailable: 1 }) }, mixed);
    const first = set.status.updateRevision;
    const before = new Map(set.pods.map(({ node, uid }) => [node, uid]));
    set.edit({ patches: [patch("2")] });
    set.looks(2);
    set.edit({ patches: [patch("1")] });
    set.settle();
    expect(set.status.updateRevision).toBe(first);
    const restarted = set.pods.filter(({ node, uid }) => before.get(node) !== uid).map(({ node }) => node);
    expect(restarted).toEqual(["c"]);
  });

  test("are ignored while the gate is off: what runs stays, new pods are plain, templates still roll out", () => {
    const off = { gates: { AdvancedDaemonSetNodeLabelPatches: false } };
    const set = running({ patches: [patch("1")], ...rolling({ maxUnavailable: 4 }) }, mixed);
    set.restart(off);
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
    set.cluster.put(aNode("e", { size: "large" }));
    set.settle();
    expect([envOn(set, "a").includes("SIZE"), envOn(set, "e").includes("SIZE")]).toEqual([true, false]);
    expect(set.status.conditions).toContainEqual(
      expect.objectContaining({ type: "PatchesValid", status: "Unknown", reason: "PatchesDisabled" }),
    );
    set.restart();
    expect(set.look().deleted).toHaveLength(1);
    set.settle().restart(off);
    set.edit(image("2"));
    expect(set.look().deleted).toHaveLength(4);
    expect(envOn(set.settle(), "a")).not.toContain("SIZE");
  });

  test("are told by the record, too: another release of ours may compute another hash", () => {
    const set = running({ patches: [patch("1")] }, mixed);
    for (const pod of set.pods) {
      set.change(pod, { metadata: { labels: { "daemonset.kruise.io/patch-combined-hash": "of-another-release" } } });
    }
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
    expect(set.settle().pods.map(({ labels }) => labels["daemonset.kruise.io/patch-combined-hash"])).not.toContain(
      "of-another-release",
    );
  });

  test("do not restart pods of Kruise, which record no patches, where none apply", () => {
    const set = running({}, mixed);
    for (const pod of set.pods)
      set.change(pod, { metadata: { labels: { "daemonset.kruise.io/patch-combined-hash": null } } });
    expect(set.decide().steps).toEqual([]);
    set.edit({ patches: [patch("1")], ...rolling({ maxUnavailable: 4 }) });
    expect(set.look().deleted).toHaveLength(2);
  });
});

describe("an update in place", () => {
  const inPlace = rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 });
  const opened = (spec: JsonObject) => {
    const set = new SetOnPaper(spec, nodes(3));
    set.look();
    set.kubelet();
    return set.settle();
  };

  test("keeps the pods when only images change, within the budget", () => {
    const set = opened(inPlace);
    const before = set.pods.map(({ uid }) => uid).sort();
    set.edit(image("2"));
    const { plan, created, deleted } = set.look();
    expect([created, deleted]).toEqual([[], []]);
    expect(plan.steps.filter((step) => step.do === "patch" && step.target.kind === "Pod")).toHaveLength(4);
    set.settle();
    expect(set.pods.map(({ uid }) => uid).sort()).toEqual(before);
    expect(JSON.stringify(set.podOn("n0").spec)).toContain("agent:2");
    expect(set.status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  test("makes pods anew when anything else changes", () => {
    const set = opened(inPlace);
    set.edit({ template: { spec: { hostNetwork: true } } });
    expect(set.look().deleted).toHaveLength(2);
  });
});

describe("a decision", () => {
  test("says of a set that breaks a rule what is wrong, once, and leaves its pods alone", () => {
    const set = running({}, nodes(2));
    set.edit({ selector: { matchLabels: { app: "other" } } });
    const { plan } = set.look();
    expect(plan.steps.map((step) => step.do)).toEqual(["event", "status"]);
    expect(set.status.conditions).toContainEqual(
      expect.objectContaining({ type: "Stalled", status: "True", reason: "InvalidSpec" }),
    );
    expect(set.decide().steps).toEqual([]);
    expect(set.pods).toHaveLength(2);
  });

  test("explains a node: the rules, the fields with their patches, and what the rollout waits for", () => {
    const patches = [
      {
        selector: { matchLabels: { size: "large" } },
        patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value: "2Ti" }] }] } },
      },
    ];
    const set = running({ patches, ...rolling({ maxUnavailable: 1 }) }, [aNode("a", { size: "large" }), aNode("b")]);
    expect(set.explain("a")).toMatchObject({
      ...{
        node: "a",
        reason: "Fitted",
        gets: "template + patches 0",
        runs: set.pods.find((p) => p.node === "a")?.name,
      },
      trail: [{ rule: "patches[0]", matched: true, because: "the labels meet size=large" }, { rule: "tolerations" }],
      facts: { "spec.containers[name=agent].env[name=SIZE].value": '"2Ti" (patches[0])' },
    });
    set.edit(image("2"));
    set.looks(2);
    expect(set.explain("a")).toMatchObject({
      reason: "BudgetSpent",
      because: expect.stringContaining("1 may be at once"),
    });
    set.cluster.put(aNode("a", { size: "large" }, { spec: { taints: [taint] } }));
    expect(set.explain("a")).toMatchObject({ reason: "TaintNotTolerated" });
    expect(set.explain("nobody")).toBeUndefined();
  });
});
