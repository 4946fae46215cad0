// Decisions about a set: creation, the end of pods, and updates, as tables of what one look after the other does.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { aNode, image, nodes, rolling, SetOnPaper } from "./set-on-paper.ts";

/** A set that runs on all nodes. */
const running = (spec: JsonObject, fleet: readonly JsonObject[] = nodes(5)) => new SetOnPaper(spec, fleet).settle();

describe("creation", () => {
  test("gives every eligible node one pod, records the revision first, and rests then", () => {
    const set = new SetOnPaper({}, nodes(3));
    const { plan, created } = set.look();
    expect(created).toHaveLength(3);
    expect(plan.steps[0]).toMatchObject({ do: "create", object: { kind: "ControllerRevision" } });
    expect(set.pods.map(({ node }) => node).sort()).toEqual(["n0", "n1", "n2"]);
    set.ready().look();
    expect(set.decide().steps).toEqual([]);
  });

  test("keeps within the burst, which a percentage takes of the desired number, also at the first look", () => {
    expect(new SetOnPaper({ burstReplicas: 2 }, nodes(5)).looks(3)).toEqual([
      ...[
        [2, 0],
        [2, 0],
        [1, 0],
      ],
    ]);
    expect(new SetOnPaper({ burstReplicas: "40%" }, nodes(5)).look().created).toHaveLength(2);
    expect(new SetOnPaper({ burstReplicas: "1%" }, nodes(5)).look().created).toHaveLength(1);
  });

  test.each<[string, JsonObject, number]>([
    ["a taint that nobody tolerates", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }, 0],
    [
      "an unschedulable node",
      { spec: { taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] } },
      1,
    ],
    ["a node that is not ready", { status: { conditions: [{ type: "Ready", status: "False" }] } }, 1],
    ["a node that is being deleted", { metadata: { deletionTimestamp: "2026-03-01T11:00:00Z" } }, 0],
  ])("looks at taints only: %s", (_name, more, count) => {
    expect(new SetOnPaper({}, [aNode("a", {}, more)]).look().created).toHaveLength(count);
  });

  test("makes nothing on a node whose patches cannot be rendered, says so, and goes on with the others", () => {
    const patch = { spec: { containers: [{ name: "nobody", args: [] }] } };
    const set = new SetOnPaper({ patches: [{ selector: { matchLabels: { a: "1" } }, patch }] }, [
      ...[aNode("bad", { a: "1" }), aNode("good")],
    ]);
    const { plan, created } = set.look();
    expect(created).toHaveLength(1);
    expect(plan.held).toMatchObject([{ node: "bad", reason: "PatchRejected" }]);
    set.ready().look();
    expect(set.status.conditions).toMatchObject([
      ...[{ type: "Ready", status: "False", reason: "PatchRejected" }, { type: "Reconciling" }, { type: "Stalled" }],
      ...[{ type: "PatchesValid", status: "False" }, { type: "RolledOut" }, { type: "Paused" }],
    ]);
    expect(set.status.problems).toMatchObject([{ reason: "PatchRejected", nodes: 1, examples: ["bad"] }]);
  });

  test("is held by the partition only when the scaling is partitioned", () => {
    const scaleStrategy = { partitionedScaling: true };
    expect(new SetOnPaper({ scaleStrategy, ...rolling({ partition: 2 }) }, nodes(5)).looks(2)).toEqual([
      ...[
        [3, 0],
        [0, 0],
      ],
    ]);
    expect(new SetOnPaper({ scaleStrategy, ...rolling({ partition: "50%" }) }, nodes(4)).look().created).toHaveLength(
      2,
    );
    expect(new SetOnPaper(rolling({ partition: 2 }), nodes(5)).look().created).toHaveLength(5);
    const more = new SetOnPaper({ scaleStrategy, ...rolling({ partition: 9 }) }, nodes(5));
    expect(more.look().plan.held.map(({ reason }) => reason)).toEqual(Array(5).fill("RolloutPartitioned"));
  });
});

describe("the end of pods", () => {
  test("comes when a node must not run them, and not when it merely should not get one", () => {
    const set = running({}, [aNode("a"), aNode("b")]);
    set.cluster.put(aNode("a", {}, { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } }));
    set.cluster.put(aNode("b", {}, { spec: { taints: [{ key: "x", effect: "NoExecute" }] } }));
    expect(set.look().deleted).toHaveLength(1);
    expect(set.pods.map(({ node }) => node)).toEqual(["a"]);
    expect(set.status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 2 });
  });

  test("leaves one pod of several, the bound and oldest one", () => {
    const set = running({}, nodes(1));
    const [pod] = set.pods;
    const body = set.podOn("n0");
    set.cluster.make({ ...body, metadata: { ...(body.metadata as JsonObject), name: "twin" } }, set.nowMs);
    expect(set.look().deleted).toEqual(["twin"]);
    expect(set.pods.map(({ name }) => name)).toEqual([pod?.name]);
  });

  test("comes to pods that wait for a node that is gone", () => {
    const set = new SetOnPaper({}, nodes(1));
    set.look();
    const alone = new SetOnPaper({}, []);
    alone.cluster.put(set.podOn("n0"));
    expect(alone.look().deleted).toHaveLength(1);
  });

  test("is followed by a pod of another name when it failed, at once at first and later with growing pauses", () => {
    const set = running({}, nodes(1));
    const fail = () => set.change(set.pods[0] ?? never(), { status: { phase: "Failed", reason: "Evicted" } });
    const waits: number[] = [];
    const names = new Set<string>();
    for (let round = 0; round < 4; round++) {
      fail();
      let waited = 0;
      while (set.decide().steps.every((step) => step.do !== "create")) {
        waited += 1;
        set.nowMs += 1_000;
      }
      waits.push(waited);
      names.add(set.pods[0]?.name ?? "");
      const { created, deleted, plan } = set.look();
      expect([created.length, deleted.length]).toEqual([1, 1]);
      expect(plan.steps.filter((step) => step.do === "event").map(({ reason }) => reason)).toContain("FailedDaemonPod");
    }
    // A second passes with each look, so pauses of 0, 1, 2 and 4 seconds leave these.
    expect(waits).toEqual([0, 0, 1, 3]);
    expect(names.size).toBe(4);
    set.edit({ minReadySeconds: 1 });
    fail();
    expect(set.look().created).toHaveLength(1);
  });

  test("also comes to pods that succeeded", () => {
    const set = running({}, nodes(1));
    set.change(set.pods[0] ?? never(), { status: { phase: "Succeeded" } });
    expect(set.looks(1)).toEqual([[1, 1]]);
  });

  test("must be over before the next pod comes", () => {
    const set = running({}, nodes(1));
    const [pod = never()] = set.pods;
    set.change(pod, { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
    expect(set.look().plan.held).toMatchObject([{ node: "n0", reason: "HandOver" }]);
    set.change(pod, { status: { phase: "Failed" } });
    expect(set.look().created).toHaveLength(1);
  });
});

describe("a rolling update", () => {
  test("takes as many nodes as may be unavailable, the last names first, and waits for the new ones", () => {
    const set = running(rolling({ maxUnavailable: 2 }));
    set.edit(image("2"));
    const first = set.decide().steps.flatMap((step) => (step.do === "delete" ? [set.nodeOf(step.target.name)] : []));
    expect(first.sort()).toEqual(["n3", "n4"]);
    const rounds = [];
    for (let round = 0; round < 4; round++) {
      rounds.push(...set.looks(2));
      set.ready();
    }
    expect(rounds).toEqual([
      ...[
        [0, 2],
        [2, 0],
        [0, 2],
        [2, 0],
        [0, 1],
        [1, 0],
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(set.status).toMatchObject({ updatedNumberScheduled: 5, numberAvailable: 5, numberUnavailable: 0 });
  });

  test("stops when new pods do not become ready", () => {
    const set = running(rolling({ maxUnavailable: 3 }));
    set.edit(image("broken"));
    expect(set.looks(4)).toEqual([
      ...[
        [0, 3],
        [3, 0],
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(set.decide().held.map(({ reason }) => reason)).toEqual(["BudgetSpent", "BudgetSpent"]);
  });

  test("takes all nodes at once that serve nobody, and they count all the same", () => {
    const set = running(rolling({ maxUnavailable: 3 }));
    set.ready(false).edit(image("2"));
    expect(set.looks(3)).toEqual([
      ...[
        [0, 5],
        [5, 0],
        [0, 0],
      ],
    ]);
    const some = running(rolling({ maxUnavailable: 2 }));
    some.ready(false, ({ node }) => node === "n0" || node === "n1").edit(image("2"));
    expect(some.looks(2)).toEqual([
      ...[
        [0, 2],
        [2, 0],
      ],
    ]);
  });

  test("takes what serves nobody only as it was seen: it may have begun to serve since", () => {
    const set = running(rolling({ maxUnavailable: 2 }), nodes(2));
    set.ready(false, ({ node }) => node === "n0");
    for (const pod of set.pods) set.change(pod, { metadata: { resourceVersion: `of-${pod.node}` } });
    set.edit(image("2"));
    const fences = set
      .decide()
      .steps.flatMap((step) => (step.do === "delete" ? [[set.nodeOf(step.target.name), step.resourceVersion]] : []));
    expect(fences.sort()).toEqual(
      [
        ["n0", "of-n0"],
        ["n1", undefined],
      ].sort(),
    );
  });

  test("does not count what was unavailable before, where Kruise's way is asked for", () => {
    const set = running(rolling({ maxUnavailable: 2, strictAvailability: false }));
    set.ready(false, ({ node }) => node === "n0" || node === "n1").edit(image("2"));
    expect(set.look().deleted).toHaveLength(4);
  });

  test("does nothing when nothing has changed, also not for another spelling of the same", () => {
    const set = running(rolling({ maxUnavailable: 5 }));
    set.edit({ template: { metadata: { creationTimestamp: null }, $patch: "replace" } });
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
    expect(set.pods).toHaveLength(5);
  });

  test.each<[string, JsonObject, number]>([
    ["an absent budget is one", {}, 1],
    ["a percentage rounds up", { maxUnavailable: "50%" }, 2],
    ["a small percentage is one", { maxUnavailable: "1%" }, 1],
    ["all", { maxUnavailable: "100%" }, 3],
  ])("scales its budget to the nodes that should run a pod: %s", (_name, budget, count) => {
    const set = running(rolling(budget), [...nodes(3), aNode("out", {}, { spec: { taints: [taint] } })]);
    set.edit(image("2"));
    expect(set.look().deleted).toHaveLength(count);
  });

  test("counts a pod only after it has been ready for long enough, and looks again just then", () => {
    const set = running({ minReadySeconds: 10, ...rolling({ maxUnavailable: 1 }) }, nodes(2));
    set.nowMs += 20_000;
    set.edit(image("2"));
    set.looks(2);
    set.ready();
    const readyMs = set.nowMs;
    expect(set.look().deleted).toEqual([]);
    expect(set.decide().lookAgainAtMs).toBe(readyMs + 10_000);
    set.nowMs = readyMs + 10_000;
    expect(set.look().deleted).toHaveLength(1);
  });

  test("leaves nodes alone that are not ready, and does not let them hold up the others", () => {
    const set = running(rolling({ maxUnavailable: 2 }));
    const dark = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    for (const name of ["n0", "n1", "n2"]) set.cluster.put(aNode(name, {}, dark));
    set.ready(false, ({ node }) => node < "n3").edit(image("2"));
    expect(set.looks(2)).toEqual([
      ...[
        [0, 2],
        [2, 0],
      ],
    ]);
    expect(set.decide().held.map(({ reason }) => reason)).toEqual(Array(3).fill("NodeNotReady"));
  });

  test("leaves out nodes that an edit excludes, and goes on with one after the other", () => {
    const set = running(rolling({ maxUnavailable: 1 }), [...nodes(3, { zone: "a" }), aNode("n3"), aNode("n4")]);
    set.edit({ ...image("2"), template: { spec: { ...imageSpec("2"), nodeSelector: { zone: "a" } } } });
    expect(set.looks(1)).toEqual([[0, 3]]);
    set.settle();
    expect(set.pods.map(({ node }) => node).sort()).toEqual(["n0", "n1", "n2"]);
  });

  test("is held by pause, and creation goes on", () => {
    const set = running(rolling({ paused: true }));
    set.edit(image("2"));
    expect(set.look().deleted).toEqual([]);
    set.cluster.put(aNode("new"));
    expect(set.look().created).toHaveLength(1);
    expect(set.decide().held.map(({ reason }) => reason)).toEqual(Array(5).fill("PausedByUser"));
    set.edit(rolling({ paused: false }));
    expect(set.ready().look().deleted).toHaveLength(1);
  });

  test("keeps as many nodes at the old revision as the partition says", () => {
    const set = running(rolling({ maxUnavailable: 5, partition: 3 }));
    set.edit(image("2"));
    set.settle();
    const updated = set.pods.filter(({ labels }) => labels["controller-revision-hash"] === set.status.updateRevision);
    expect(updated.map(({ node }) => node).sort()).toEqual(["n3", "n4"]);
    expect(set.status.conditions).toContainEqual(
      expect.objectContaining({ type: "RolledOut", status: "False", reason: "RolloutPartitioned" }),
    );
    expect(set.status.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    set.edit(rolling({ partition: "40%" }));
    expect(set.look().deleted).toHaveLength(1);
  });

  test("takes only nodes that the selector names", () => {
    const selector = { matchLabels: { canary: "yes" } };
    const set = running(rolling({ maxUnavailable: 5, selector }), [...nodes(3), aNode("c1", { canary: "yes" })]);
    set.edit(image("2"));
    expect(set.look().deleted).toHaveLength(1);
    expect(set.decide().held.map(({ reason }) => reason)).toEqual(Array(3).fill("NotSelected"));
  });

  test("takes no node by itself with OnDelete, and a deleted pod comes back new", () => {
    const set = running({ updateStrategy: { type: "OnDelete" } }, nodes(2));
    set.edit(image("2"));
    expect(set.look().deleted).toEqual([]);
    expect(set.decide().held.map(({ reason }) => reason)).toEqual(["WaitingForDeletion", "WaitingForDeletion"]);
    const [pod = never()] = set.pods;
    set.cluster.perform(deleteOf(pod), set.nowMs);
    set.look();
    expect(set.pods.find(({ node }) => node === pod.node)?.labels["controller-revision-hash"]).toBe(
      set.status.updateRevision,
    );
  });
});

describe("a surging update", () => {
  const surging = (more: JsonObject = {}) => rolling({ maxSurge: 2, maxUnavailable: 0, ...more });

  test("adds new pods first and takes the old ones when the new serve", () => {
    const set = running(surging());
    set.edit(image("2"));
    const rounds = [];
    for (let round = 0; round < 4; round++) {
      rounds.push(...set.looks(2));
      set.ready();
    }
    expect(rounds).toEqual([
      ...[
        [2, 0],
        [0, 0],
        [0, 2],
        [2, 0],
        [0, 2],
        [1, 0],
        [0, 1],
        [0, 0],
      ],
    ]);
  });

  test("creates at once where the old pod serves nobody, whatever the surge, and takes that one away", () => {
    const set = running(rolling({ maxSurge: 1, maxUnavailable: 0 }));
    set.ready(false, ({ node }) => node !== "n4").edit(image("2"));
    expect(set.looks(2)).toEqual([
      ...[
        [5, 0],
        [0, 4],
      ],
    ]);
  });

  test("waits for minReadySeconds before the old pod goes, and looks again then", () => {
    const set = running({ minReadySeconds: 15, ...surging() }, nodes(1));
    set.nowMs += 60_000;
    set.edit(image("2"));
    set.look();
    set.ready(true);
    const atMs = set.nowMs + 15_000;
    expect(set.look()).toMatchObject({ created: [], deleted: [], plan: { lookAgainAtMs: atMs } });
    set.nowMs = atMs;
    expect(set.look().deleted).toHaveLength(1);
  });

  test("makes another new pod when the first one failed, after its pause and under another name", () => {
    const set = running(surging(), nodes(1));
    set.edit(image("2"));
    const [name = ""] = set.look().created;
    set.change(set.pods.find((pod) => pod.name === name) ?? never(), { status: { phase: "Failed" } });
    const { created, deleted } = set.look();
    expect(deleted).toEqual([name]);
    expect(created).toHaveLength(1);
    expect(created).not.toEqual([name]);
  });

  test("is ended well when the strategy changes in its middle: whichever serves stays", () => {
    const set = running(surging(), nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    set.look();
    set.edit(rolling({ maxSurge: 0, maxUnavailable: 1 }));
    expect(set.look().deleted).not.toEqual([old.name]);
  });
});

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

describe("a hook before the deletion", () => {
  test("marks one pod at a time and deletes it when the hook is gone", () => {
    const lifecycle = { preDelete: { labelsHandler: { hold: "yes" } } };
    const metadata = { labels: { app: "agent", hold: "yes" } };
    const template = { metadata, spec: { containers: [{ name: "agent", image: "registry.example.com/agent:1.0" }] } };
    const set = running({ lifecycle, template }, nodes(3));
    set.edit(image("2"));
    expect(set.looks(2)).toEqual([
      ...[
        [0, 0],
        [0, 0],
      ],
    ]);
    const marked = set.pods.filter(({ labels }) => labels["lifecycle.apps.kruise.io/state"] === "PreparingDelete");
    expect(marked).toHaveLength(1);
    set.change(marked[0] ?? never(), { metadata: { labels: { hold: null } } });
    expect(set.looks(2)).toEqual([
      ...[
        [0, 1],
        [1, 0],
      ],
    ]);
  });
});

describe("claims", () => {
  test("come before anything else: a stray pod of the set is adopted, and not doubled", () => {
    const set = running({}, nodes(2));
    const [pod = never()] = set.pods;
    set.change(pod, { metadata: { ownerReferences: null } });
    const { plan, created } = set.look();
    expect(created).toEqual([]);
    expect(plan.steps.map((step) => step.do)).toEqual(["patch", "patch"]);
    expect(set.settle().pods).toHaveLength(2);
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
    expect(set.explain("a")).toMatchObject({ reason: "BudgetSpent", because: expect.stringContaining("1 of the 1") });
    set.cluster.put(aNode("a", { size: "large" }, { spec: { taints: [taint] } }));
    expect(set.explain("a")).toMatchObject({ reason: "TaintNotTolerated" });
    expect(set.explain("nobody")).toBeUndefined();
  });
});

const taint = { key: "x", effect: "NoSchedule" };
const imageSpec = (tag: string) => ((image(tag).template as JsonObject).spec ?? {}) as JsonObject;
const deleteOf = ({ name, namespace, uid }: { name: string; namespace: string; uid: string }) => ({
  ...{ do: "delete" as const, target: { apiVersion: "v1", kind: "Pod", namespace, name }, uid },
  ...{ propagation: "Background" as const, why: "a person" },
});

function never(): never {
  throw new Error("there is no pod");
}
