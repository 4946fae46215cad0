// What a node needs apart from updates, as tables of what one look after the other does.
import { describe, expect, test } from "vitest";
import type { ObjectBody } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { keyOf } from "../../forecast/paper-shelf.ts";
import { aNode, image, never, nodes, rolling, running, SetOnPaper } from "../testing/set-on-paper.ts";
import { isPreparingDelete } from "./lifecycle.ts";

const isPod = ({ kind }: ObjectBody) => kind === "Pod";
const nameIn = ({ metadata }: ObjectBody) => metadata.name;

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
    expect(new SetOnPaper({ burstReplicas: "150%" }, nodes(5)).look().created).toHaveLength(5);
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

const surging = rolling({ rollingUpdateType: null, maxSurge: 1, maxUnavailable: 0 });

describe("the next pod of a surge", () => {
  const fails = { status: { phase: "Failed", reason: "Evicted" } };
  const wanted = (set: SetOnPaper) =>
    set
      .decide()
      .steps.flatMap((step) => (step.do === "create" ? [step.object] : []))
      .filter(isPod)
      .map(nameIn);

  test("is the same for who saw the old one fail and for who did not", () => {
    const set = running(surging, nodes(1));
    set.edit(image("2"));
    const beside = wanted(set);
    set.change(set.pods[0] ?? never(), fails);
    expect(beside).toHaveLength(1);
    expect(wanted(set)).toEqual(beside);
  });

  test("has another name than the old one that was updated in place, and once was what is wanted again", () => {
    const set = running(rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 }), nodes(1));
    const [first = never()] = set.pods;
    set.edit(image("2"));
    expect(set.settle().pods.map(({ uid }) => uid)).toEqual([first.uid]);
    set.edit({ ...image("1.0"), ...surging });
    const beside = wanted(set);
    expect(beside).not.toEqual([first.name]);
    set.change(first, fails);
    expect(wanted(set)).toEqual(beside);
    expect(set.settle().pods.map(({ name }) => name)).toEqual(beside);
  });

  test("waits for one that is leaving and has its name, also when the old one failed meanwhile", () => {
    const set = running(surging, nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    const { created } = set.look();
    const beside = set.pods.find(({ name }) => name === created[0]) ?? never();
    set.change(beside, { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
    set.change(old, fails);
    expect(set.look()).toMatchObject({ created: [], plan: { held: [{ node: "n0", reason: "HandOver" }] } });
    set.cluster.remove(set.cluster.pods, keyOf(beside));
    expect(set.look().created).toEqual(created);
  });

  test("waits for one of its own rendering that is leaving, whatever the name of that one is", () => {
    const set = running(surging, nodes(1));
    const [first = never()] = set.pods;
    set.change(first, fails);
    const successor = set.settle().pods[0] ?? never();
    expect(successor.name).not.toBe(first.name);
    set.change(successor, { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
    expect(set.look()).toMatchObject({ created: [], plan: { held: [{ node: "n0", reason: "HandOver" }] } });
    set.cluster.remove(set.cluster.pods, keyOf(successor));
    expect(set.look().created).toEqual([first.name]);
  });

  test("does not wait for one of another rendering that is leaving", () => {
    const set = running(surging, nodes(1));
    set.change(set.pods[0] ?? never(), { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
    set.edit(image("2"));
    expect(set.look().created).toHaveLength(1);
  });
});

describe("a hook before the deletion", () => {
  const held = {
    lifecycle: { preDelete: { labelsHandler: { hold: "yes" } } },
    template: {
      metadata: { labels: { app: "agent", hold: "yes" } },
      spec: { containers: [{ name: "agent", image: "registry.example.com/agent:1.0" }] },
    },
  };

  test("takes a pod of ours out of service while it holds it, where that is asked for", () => {
    const lifecycle = { preDelete: { labelsHandler: { app: "agent" }, markPodNotReady: true } };
    const set = running({ lifecycle }, nodes(2));
    const serving = () =>
      set.pods.flatMap(({ node, readySinceMs }) => (readySinceMs === undefined ? [] : [node])).sort();
    expect(serving()).toEqual(["n0", "n1"]);
    set.edit(image("2"));
    set.look();
    set.kubelet();
    set.look();
    expect(serving()).toEqual(["n0"]);
  });

  test("marks one pod at a time and deletes it when the hook is gone", () => {
    const set = running(held, nodes(3));
    set.edit(image("2"));
    expect(set.looks(2)).toEqual([
      ...[
        [0, 0],
        [0, 0],
      ],
    ]);
    const marked = set.pods.filter(isPreparingDelete);
    expect(marked).toHaveLength(1);
    set.change(marked[0] ?? never(), { metadata: { labels: { hold: null } } });
    expect(set.looks(2)).toEqual([
      ...[
        [0, 1],
        [1, 0],
      ],
    ]);
  });

  test("marks no second pod of a node, also if the set asks for something else by then", () => {
    const set = running({ ...surging, ...held }, nodes(1));
    const marked = () => set.settle().pods.filter(isPreparingDelete);
    set.edit(image("2"));
    const first = marked();
    expect([set.pods, first]).toMatchObject([{ length: 2 }, { length: 1 }]);
    set.edit(image("3"));
    expect(marked()).toEqual(first);
  });

  test("keeps no successor away from a pod that failed beside the one that it holds", () => {
    const set = running({ ...surging, ...held }, nodes(1));
    set.edit(image("2"));
    const failed = { status: { phase: "Failed", reason: "Evicted" } };
    for (const pod of set.settle().pods) {
      set.change(pod, isPreparingDelete(pod) ? failed : { ...failed, metadata: { labels: { hold: null } } });
    }
    expect(set.looks(1)).toEqual([[1, 1]]);
  });
});

describe("claims", () => {
  test("come before anything else: a stray pod of the set is adopted, and not doubled", () => {
    const set = running({}, nodes(2));
    const [pod = never()] = set.pods;
    set.change(pod, { metadata: { ownerReferences: null } });
    set.edit(image("2"));
    const { plan, created } = set.look();
    expect(created).toEqual([]);
    expect(plan.steps.map((step) => step.do)).toEqual(["patch", "patch", "status"]);
    expect(set.settle().pods).toHaveLength(2);
  });
});
