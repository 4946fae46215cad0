// How a new image reaches the nodes of a Module: one budget across all kernels, in order, and not further than it goes well.
import { describe, expect, test } from "vitest";
import type { Step } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { EL8, EL9, mappedModule, type NodeWishes, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const module = (tag: string, updateStrategy: JsonObject = {}) =>
  mappedModule([{ regexp: ".", containerImage: `registry.example.com/kmod:${tag}` }], { updateStrategy });
const fleet: readonly NodeWishes[] = [
  ...["a", "c", "e"].map((name) => ({ name, kernel: UBUNTU })),
  ...["b", "d", "f"].map((name) => ({ name, kernel: EL9 })),
];
const settled = (strategy: JsonObject = {}, nodes = fleet) =>
  new ModuleStage(nodes).store(module("1", strategy)).settle();
const deletedIn = (steps: readonly Step[]) =>
  steps.filter((step) => step.do === "delete" && step.target.kind === "Pod");
const deletedOn = (stage: ModuleStage, from: number) =>
  deletedIn(stage.log.slice(from)).map((step) => (step.do === "delete" ? step.target.name.replace(/^.*-on-/, "") : ""));

test("a new image is not called rolled out by the status that first speaks of it", () => {
  const stage = settled().store(module("2"));
  const conditionsIn = (steps: readonly Step[]) =>
    steps.flatMap((step) => (step.do === "status" ? Object(step.status).conditions : []));
  const underWay = [
    { type: "Ready", status: "False", reason: "RolloutInProgress" },
    { type: "RolledOut", status: "False" },
  ];
  expect(conditionsIn(stage.decide().plan.steps)).toMatchObject([underWay[0], ...Array(4).fill({}), underWay[1]]);
});

describe("the budget", () => {
  test("is one for all kernels, and nodes are taken by name within each kernel", () => {
    const stage = settled();
    const from = stage.log.length;
    stage.store(module("2"));
    let most = 0;
    for (let round = 0; round < 40; round++) {
      const before = stage.log.length;
      stage.round();
      most = Math.max(most, deletedIn(stage.log.slice(before)).length);
    }
    expect(most).toBe(1);
    expect(deletedOn(stage, from)).toEqual(["b", "d", "f", "a", "c", "e"]);
    expect(new Set(Object.values(stage.picture()).map((line) => line.split(" ").at(-1)))).toEqual(new Set(["kmod:2"]));
  });

  test.each([
    ["a count", { maxUnavailable: 2 }, 2],
    ["a percentage, rounded up", { maxUnavailable: "34%" }, 3],
    ["fewer on the move than may be unavailable", { maxUnavailable: 4, maxParallel: 2 }, 2],
  ])("may be %s", (_name, strategy, expected) => {
    const stage = settled(strategy);
    stage.store(module("2", strategy)).round();
    const from = stage.log.length;
    stage.round();
    expect(deletedIn(stage.log.slice(from))).toHaveLength(expected);
  });

  test("is spent by a node that rebooted into another kernel, from the moment at which it is seen until its driver serves", () => {
    const stage = settled();
    stage.node({ name: "a", kernel: EL9 });
    stage.store(module("2"));
    const from = stage.log.length;
    while (!stage.imagesOn("a").includes("kmod:2")) stage.round();
    expect(deletedOn(stage, from)).toEqual([]);
    stage.settle();
    expect(deletedOn(stage, from)).toEqual(["b", "d", "f", "c", "e"]);
  });

  test("is not spent by one that rebooted into a kernel for which there is nothing", () => {
    const mapped = (tag: string) =>
      mappedModule([{ regexp: "el|generic", containerImage: `registry.example.com/kmod:${tag}` }]);
    const stage = new ModuleStage(fleet).store(mapped("1")).settle();
    stage.node({ name: "a", kernel: "0.1-strange" });
    const from = stage.log.length;
    stage.store(mapped("2")).round();
    stage.round();
    expect(deletedOn(stage, from)).toEqual(["b"]);
  });

  test("a rollout stops by itself when new pods do not become ready", () => {
    const stage = settled({ maxUnavailable: 2 });
    const from = stage.log.length;
    stage.broken.add("2");
    stage.store(module("2", { maxUnavailable: 2 })).settle();
    expect(deletedOn(stage, from)).toEqual(["b", "d"]);
    expect(stage.conditions()).toMatchObject({
      Ready: "False RolloutInProgress",
      RolledOut: "False RolloutInProgress",
    });
    expect(
      stage
        .decide()
        .plan.held.filter(({ reason }) => reason === "BudgetSpent")
        .map(({ node }) => node),
    ).toEqual([...["a", "c", "e", "f"]]);
    // The way back is open: pods that do not serve cost nothing.
    stage.store(module("3", { maxUnavailable: 2 })).settle();
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted" });
  });

  test("paused holds every node, and a node that joins gets its driver all the same", () => {
    const stage = settled();
    const from = stage.log.length;
    stage.store(module("2", { paused: true })).settle();
    expect(deletedOn(stage, from)).toEqual([]);
    expect(stage.conditions()).toMatchObject({ RolledOut: "False PausedByUser" });
    stage.node({ name: "g" });
    stage.settle();
    expect(stage.picture()).toMatchObject({ a: `${UBUNTU} ready kmod:1`, g: `${EL9} ready kmod:2` });
    stage.store(module("2")).settle();
    expect(stage.picture()).toMatchObject({ a: `${UBUNTU} ready kmod:2` });
  });

  test("a node that is not Ready neither blocks nor spends, and is not taken", () => {
    const stage = settled();
    stage.node({ name: "b", kernel: EL9, ready: "False" });
    const from = stage.log.length;
    stage.store(module("2")).settle();
    expect(deletedOn(stage, from)).toEqual(["d", "f", "a", "c", "e"]);
    expect(stage.decide().plan.held).toMatchObject([{ node: "b", reason: "NodeNotReady" }]);
  });

  test("a node whose new pod is not of the newest template yet is told apart from one that is", () => {
    const stage = settled();
    stage.store(module("2"));
    stage.isAlive = false;
    for (let round = 0; round < 5; round++) stage.round();
    // The controller has not made the revision of the new template: nothing is known to be outdated.
    expect(deletedIn(stage.log)).toEqual([]);
  });
});

describe("laws", () => {
  test("the order of nodes and of their joining does not matter", () => {
    const forward = settled();
    const backward = settled({}, fleet.toReversed());
    expect(backward.picture()).toEqual(forward.picture());
    expect(backward.decide()).toEqual(forward.decide());
  });

  test("the same cluster gives the same plan, and a plan that was performed leaves nothing to do", () => {
    const stage = new ModuleStage(fleet).store(module("1"));
    expect(stage.decide()).toEqual(stage.decide());
    stage.settle();
    expect(stage.decide().plan).toMatchObject({ steps: [], held: [] });
  });

  test("another way to the same Module leads to the same cluster", () => {
    const direct = settled();
    const detour = new ModuleStage(fleet).store(module("0")).settle();
    detour.node({ name: "a", kernel: EL8 });
    detour.settle();
    detour.node({ name: "a", kernel: UBUNTU });
    detour.store(module("1")).settle(90_000);
    expect(detour.picture()).toEqual(direct.picture());
    expect(detour.status()).toMatchObject({ nodes: { fitted: 6, inScope: 6, unfit: 0 } });
  });
});
