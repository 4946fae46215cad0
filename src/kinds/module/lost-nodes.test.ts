// A driver that panics the kernels it is loaded into: at most one budget of nodes is lost, and the status says so.
import { describe, expect, test } from "vitest";
import { EL9, mappedModule, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const module = (tag: string, maxUnavailable: number | string = 1) =>
  mappedModule([{ regexp: ".", containerImage: `registry.example.com/kmod:${tag}` }], {
    updateStrategy: { maxUnavailable },
  });
const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
const kernelOf = (name: string) => (Number(name.slice(1)) % 2 === 0 ? UBUNTU : EL9);
const notReady = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];

const settled = (maxUnavailable: number | string = 1) =>
  new ModuleStage(names.map((name) => ({ name, kernel: kernelOf(name) }))).store(module("1", maxUnavailable)).settle();

function lose(stage: ModuleStage, lost: Iterable<string>): void {
  for (const name of lost) {
    stage.node({ name, kernel: kernelOf(name), ready: "False", taints: notReady });
    stage.unready(name);
  }
}

/** Every node dies as soon as a pod of the bad image is on it; returns the nodes that died. */
function playDeadly(stage: ModuleStage, rounds: number): readonly string[] {
  const dead = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    stage.round();
    for (const name of names) if (stage.imagesOn(name).includes("kmod:deadly")) dead.add(name);
    lose(stage, dead);
  }
  return [...dead];
}

describe("a driver that takes its nodes down", () => {
  test.each([
    [1, 1],
    ["10%", 3],
  ])("costs one budget of nodes: %s", (maxUnavailable, budget) => {
    const stage = settled(maxUnavailable).store(module("deadly", maxUnavailable));
    const dead = playDeadly(stage, 80);
    expect(dead).toHaveLength(budget);
    expect(stage.conditions()).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
    expect(stage.status().problems).toMatchObject([{ reason: "NodeNotReady", nodes: budget }]);
  });

  test("is not Ready when the whole fleet is dead", () => {
    const stage = settled();
    lose(stage, names);
    stage.round();
    stage.round();
    expect(stage.conditions()).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
  });
});

test("nodes that were lost before the edit block nobody, and are updated when they are back", () => {
  const stage = settled();
  const early = names.slice(0, 15);
  lose(stage, early);
  stage.store(module("2"));
  for (let round = 0; round < 150; round++) {
    stage.round();
    lose(stage, early);
  }
  const updated = () => names.filter((name) => stage.imagesOn(name).includes("kmod:2"));
  expect(updated()).toEqual(names.slice(15));
  for (const name of early) stage.node({ name, kernel: kernelOf(name) });
  stage.settle();
  expect(updated()).toEqual(names);
  expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted", RolledOut: "True RolloutComplete" });
});

test("nodes of a kernel that the edit does not touch block nobody", () => {
  const perKernel = (tag: string) =>
    mappedModule([
      { literal: UBUNTU, containerImage: "registry.example.com/kmod:1" },
      { regexp: ".", containerImage: `registry.example.com/kmod:${tag}` },
    ]);
  const stage = new ModuleStage(names.map((name) => ({ name, kernel: kernelOf(name) }))).store(perKernel("1")).settle();
  const ubuntu = names.filter((name) => kernelOf(name) === UBUNTU);
  lose(stage, ubuntu);
  stage.store(perKernel("2"));
  for (let round = 0; round < 150; round++) {
    stage.round();
    lose(stage, ubuntu);
  }
  const others = names.filter((name) => kernelOf(name) === EL9);
  expect(names.filter((name) => stage.imagesOn(name).includes("kmod:2"))).toEqual(others);
});
