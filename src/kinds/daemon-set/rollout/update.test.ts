// Updates within their budget, as tables of what one look after the other does.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { aNode, image, never, nodes, rolling, running } from "../testing/set-on-paper.ts";

const taint = { key: "x", effect: "NoSchedule" };
const imageSpec = (tag: string) => ((image(tag).template as JsonObject).spec ?? {}) as JsonObject;
const deleteOf = ({ name, namespace, uid }: { name: string; namespace: string; uid: string }) => ({
  ...{ do: "delete" as const, target: { apiVersion: "v1", kind: "Pod", namespace, name }, uid },
  ...{ propagation: "Background" as const, why: "a person" },
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

  test.each<[string, JsonObject]>([
    ["an update soon after the last one", {}],
    ["a longer time to count as available", { minReadySeconds: 600 }],
  ])("takes no pod that is ready, only too young to be available, beyond its budget: %s", (_name, more) => {
    const takenWith = (strictAvailability: boolean) => {
      const set = running({ minReadySeconds: 30, ...rolling({ maxUnavailable: 1, strictAvailability }) });
      set.edit({ ...image("2"), ...more });
      const first = set.look();
      set.nowMs += 600_000;
      return [first.deleted.length, set.look().deleted.length];
    };
    expect(takenWith(true)).toEqual([0, 1]);
    expect(takenWith(false)[0]).toBe(5);
  });

  test("goes on from an update to the next while the only pod that is away is too young", () => {
    const set = running({ minReadySeconds: 30, ...rolling({ maxUnavailable: 1 }) });
    set.nowMs += 60_000;
    set.edit(image("2"));
    set.looks(2);
    set.ready().edit(image("3"));
    expect(set.look().deleted).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ["the partition", { partition: 3 }],
    ["the selector", { selector: { matchLabels: { canary: "yes" } } }],
  ])("in Kruise's way lets what is down and kept by %s stop nobody, and otherwise does", (_name, kept) => {
    const fleet = [...nodes(3), aNode("n3", { canary: "yes" }), aNode("n4", { canary: "yes" })];
    const takenWith = (strictAvailability: boolean) => {
      const set = running(rolling({ maxUnavailable: 1, strictAvailability, ...kept }), fleet);
      set.ready(false, ({ node }) => node === "n0").edit(image("2"));
      const nodeOf = new Map(set.pods.map(({ name, node }) => [name, node]));
      return set.look().deleted.map((pod) => nodeOf.get(pod));
    };
    expect(takenWith(false)).toEqual(["n4"]);
    expect(takenWith(true)).toEqual([]);
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

  test("does not wait for nodes whose patches cannot be rendered", () => {
    const patch = { spec: { containers: [{ name: "nobody", args: [] }] } };
    const bad = { patches: [{ selector: { matchLabels: { bad: "1" } }, patch }] };
    const set = running(rolling({ maxUnavailable: 1 }), [...nodes(2), aNode("x", { bad: "1" })]);
    set.ready(false, ({ node }) => node === "x").edit({ ...image("2"), ...bad });
    expect(set.looks(2)).toEqual([
      ...[
        [0, 1],
        [1, 0],
      ],
    ]);
    expect(set.settle().pods).toHaveLength(3);
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

  test("waits for minReadySeconds, and the second that its condition may have cut off, before the old pod goes", () => {
    const set = running({ minReadySeconds: 15, ...surging() }, nodes(1));
    set.nowMs += 60_000;
    set.edit(image("2"));
    set.look();
    set.ready(true);
    const atMs = set.nowMs + 16_000;
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
    set.nowMs = atMs - 1_000;
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

  test("takes away what was to come before it adds what is to come now", () => {
    const set = running(surging(), nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    const [second = ""] = set.look().created;
    set.edit(image("3"));
    expect(set.look()).toMatchObject({ created: [], deleted: [second], plan: { held: [{ reason: "HandOver" }] } });
    expect(set.look().created).toHaveLength(1);
    expect(set.pods.map(({ name }) => name)).toContain(old.name);
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
