// The rolling update as a table: the pods of four nodes, the limits, and who moves next.
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { nodeView, type PodWish, podView, setView, sightOf } from "../testing/views-fixture.ts";
import { countDaemonPods, decideStatus } from "./daemon-set-status.ts";
import { decideRollingUpdate } from "./decide-rolling-update.ts";

const names = ["a", "b", "c", "d"];
const nodes = names.map((name) => nodeView(name));
const old: PodWish = { hash: "old" };
const down: PodWish = { hash: "old", isReady: false };
const fresh: PodWish = {};
const starting: PodWish = { isReady: false };
const leaving: PodWish = { hash: "old", isTerminating: true };

function decide(
  byNode: readonly (readonly PodWish[])[],
  limits: { readonly [key: string]: Json },
  minReadySeconds = 0,
) {
  const set = setView({ minReadySeconds, updateStrategy: { type: "RollingUpdate", rollingUpdate: limits } });
  const pods = byNode.flatMap((wishes, place) =>
    wishes.map((wish, which) => podView(`${names[place]}${which}`, { ...wish, node: names[place] ?? "" })),
  );
  const { create, remove } = decideRollingUpdate(sightOf(set, nodes, pods));
  return { create, remove: remove.map(({ name }) => name) };
}

describe("within maxUnavailable", () => {
  test.each<[string, readonly (readonly PodWish[])[], Json, readonly string[]]>([
    ["the first of four goes", [[old], [old], [old], [old]], 1, ["a0"]],
    ["two go under 30 %", [[old], [old], [old], [old]], "30%", ["a0", "b0"]],
    ["a new pod that starts takes the place", [[starting], [old], [old], [old]], 1, []],
    ["one on its way out takes the place", [[leaving], [old], [old], [old]], 1, []],
    ["a node without a pod takes the place", [[], [old], [old], [old]], 1, []],
    ["the next goes when the new one is up", [[fresh], [old], [old], [old]], 1, ["b0"]],
    ["old pods that are down go all, and cost the place", [[down], [down], [old], [old]], 1, ["a0", "b0"]],
    ["two old pods of one node are not ours to judge", [[old, old], [old], [old], [old]], 1, []],
    ["nothing goes when all are new", [[fresh], [fresh], [fresh], [fresh]], 1, []],
  ])("%s", (_, byNode, maxUnavailable, remove) => {
    expect(decide(byNode, { maxUnavailable, maxSurge: 0 })).toEqual({ create: [], remove });
  });

  test("a new pod counts as up only after minReadySeconds", () => {
    const young = { readySince: "2026-01-01T11:59:55Z" };
    const limits = { maxUnavailable: 1, maxSurge: 0 };
    expect(decide([[young], [old], [old], [old]], limits, 10).remove).toEqual([]);
    expect(decide([[young], [old], [old], [old]], limits, 5).remove).toEqual(["b0"]);
  });
});

describe("within maxSurge", () => {
  test.each<[string, readonly (readonly PodWish[])[], readonly string[], readonly string[]]>([
    ["the first node gets a second pod", [[old], [old], [old], [old]], ["a"], []],
    ["no other node while that one starts", [[old, starting], [old], [old], [old]], [], []],
    ["the old pod goes when its successor is up", [[old, fresh], [old], [old], [old]], ["b"], ["a0"]],
    ["nodes whose old pod is down are served at once", [[down], [down], [old], [old]], ["a", "b", "c"], []],
    ["an empty node is left to the manage step", [[], [fresh], [fresh], [fresh]], [], []],
  ])("%s", (_, byNode, create, remove) => {
    expect(decide(byNode, { maxUnavailable: 0, maxSurge: 1 })).toEqual({ create, remove });
  });

  test("a pod on a node out of scope goes only when others are enough", () => {
    const closed = nodeView("d", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } });
    const set = setView({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    const podsOf = (isReady: boolean) => [
      ...["a", "b", "c"].map((node) => podView(`${node}0`, { node, isReady })),
      podView("d0", { node: "d", hash: "old" }),
    ];
    const sight = (isReady: boolean) => sightOf(set, [...nodes.slice(0, 3), closed], podsOf(isReady));
    expect(decideRollingUpdate(sight(false)).remove).toEqual([]);
    expect(decideRollingUpdate(sight(true)).remove.map(({ name }) => name)).toEqual(["d0"]);
  });
});

describe("the counts", () => {
  test("go by node and by the oldest pod there", () => {
    const closed = nodeView("d", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } });
    const pods = [
      podView("a0", { node: "a" }),
      podView("b0", { node: "b", hash: "old" }),
      podView("b1", { node: "b", isReady: false, meta: { creationTimestamp: "2026-01-01T11:58:00Z" } }),
      podView("d0", { node: "d" }),
    ];
    expect(countDaemonPods(sightOf(setView(), [...nodes.slice(0, 3), closed], pods)).counts).toEqual({
      ...{ desiredNumberScheduled: 3, currentNumberScheduled: 2, numberMisscheduled: 1, numberReady: 2 },
      ...{ updatedNumberScheduled: 1, numberAvailable: 2, numberUnavailable: 1 },
    });
  });

  test("are written only when they differ, and a generation is observed only when it was worked on", () => {
    const { counts } = countDaemonPods(sightOf(setView(), [], []));
    const seen = setView({}, { ...counts, observedGeneration: 1 });
    expect(decideStatus(sightOf(seen, [], []), counts, { isProcessed: true })).toBeUndefined();
    const unseen = sightOf(setView({}, { ...counts }), [], []);
    expect(decideStatus(unseen, counts, { isProcessed: true })).toEqual({ ...counts, observedGeneration: 1 });
    expect(decideStatus(unseen, counts, { isProcessed: false })).toEqual(counts);
  });
});
