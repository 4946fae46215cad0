// A revision whose pods take their nodes down: at most one budget of nodes is lost, and the status says so.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { aNode, image, nodes, rolling, running, type SetOnPaper } from "../testing/set-on-paper.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const lostNode = (name: string, taints: readonly JsonObject[] = [NOT_READY]): JsonObject =>
  aNode(name, {}, { spec: { taints }, status: { conditions: [{ type: "Ready", status: "False" }] } });

/** The kubelet's node goes NotReady, and the node lifecycle controller marks its pods. */
function lose(set: SetOnPaper, names: readonly string[], taints?: readonly JsonObject[]): void {
  for (const name of names) set.cluster.join(lostNode(name, taints));
  set.ready(false, ({ node }) => names.includes(node));
}

/** Plays on while every node with a pod of the bad image dies as soon as the pod is there; returns the nodes that died. */
function playDeadly(set: SetOnPaper, rounds: number, taints?: readonly JsonObject[]): readonly string[] {
  const dead = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    set.look();
    const deadly = set.pods.filter((pod) => imageOf(set, pod.node) === "deadly").map(({ node }) => node);
    for (const node of deadly) dead.add(node);
    lose(set, [...dead], taints);
    set.ready(true, ({ node }) => !dead.has(node));
  }
  return [...dead];
}

function imageOf(set: SetOnPaper, node: string): string {
  const tags = set.pods
    .filter((pod) => pod.node === node)
    .map((pod) => String(Object(set.cluster.pods.object(`${pod.namespace}/${pod.name}`)?.spec).containers[0].image));
  return tags.some((tag) => tag.endsWith(":deadly")) ? "deadly" : "";
}

const conditions = (set: SetOnPaper): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object(set.status).conditions.map(({ type, status, reason }: Record<string, string>) => [
      type,
      `${status} ${reason}`,
    ]),
  );

describe("a revision that takes its nodes down", () => {
  test.each([
    ["rolling", { maxUnavailable: 1 }, 1],
    ["rolling, a percentage", { maxUnavailable: "10%" }, 3],
    ["surging", { maxSurge: 1, maxUnavailable: 0 }, 1],
    ["in place", { maxUnavailable: 1, rollingUpdateType: "InPlaceIfPossible" }, 1],
    ["Kruise's way of counting", { maxUnavailable: 1, strictAvailability: false }, 1],
  ])("costs one budget of nodes: %s", (_name, strategy, budget) => {
    const set = running(rolling(strategy), nodes(30));
    set.edit(image("deadly"));
    expect(playDeadly(set, 80)).toHaveLength(budget);
    set.restart();
    expect(playDeadly(set, 20)).toHaveLength(budget);
  });

  test.each([
    ["a node without a taint", []],
    ["an unreachable node", [{ key: "node.kubernetes.io/unreachable", effect: "NoSchedule" }]],
    ["a node that another controller has tainted", [{ key: "example.com/broken", effect: "NoSchedule" }]],
  ])("spends the budget on %s", (_name, taints) => {
    const set = running(rolling({ maxUnavailable: 2 }), nodes(10));
    set.edit(image("deadly"));
    expect(playDeadly(set, 40, taints)).toHaveLength(2);
  });

  test("is neither Ready nor rolled out, and the status names the nodes", () => {
    const set = running(rolling({ maxUnavailable: 1 }), nodes(3));
    set.edit(image("deadly"));
    const [dead] = playDeadly(set, 20);
    expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
    expect(set.status.problems).toMatchObject([{ reason: "NodeNotReady", nodes: 1, examples: [dead] }]);
    lose(set, ["n0", "n1", "n2"]);
    set.look();
    set.look();
    expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
    expect(set.status.desiredNumberScheduled).toBe(0);
  });
});

describe("nodes that were lost before the edit", () => {
  test("block nobody, and are updated within the budget when they are back", () => {
    const set = running(rolling({ maxUnavailable: 1 }), nodes(10));
    const early = ["n0", "n1", "n2", "n3", "n4"];
    lose(set, early);
    set.edit(image("2"));
    for (let round = 0; round < 40; round++) {
      set.look();
      set.ready(true, ({ node }) => !early.includes(node));
    }
    expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
    expect(set.status).toMatchObject({ updatedNumberScheduled: 5, desiredNumberScheduled: 5 });
    for (const name of early) set.cluster.join(aNode(name));
    set.ready(true);
    const { deleted } = set.look();
    expect(deleted).toHaveLength(1);
    set.settle();
    expect(conditions(set)).toMatchObject({ Ready: "True AllNodesFitted", RolledOut: "True RolloutComplete" });
  });

  test("are counted also without a pod", () => {
    const set = running(rolling({}), [...nodes(1), lostNode("n9")]);
    expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady" });
    expect(set.status.problems).toMatchObject([{ reason: "NodeNotReady", nodes: 1, examples: ["n9"] }]);
  });
});
