// What went wrong in other operators of this kind, as stories that must end well here.
import { describe, expect, test } from "vitest";
import { stepId } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { EL8, EL9, loaderModule, mappedModule, type NodeWishes, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const UID = "uid-of-my-kmod";
const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const module = (more: JsonObject = {}) => mappedModule([{ regexp: ".", containerImage: image("1") }], more);
const minutes = (stage: ModuleStage, count: number) => {
  for (let round = 0; round < count * 60; round += 1) stage.round();
};
const workloadSteps = (stage: ModuleStage) => stage.log.map(stepId).filter((id) => id.includes(" DaemonSet "));

describe("DaemonSets are not made and deleted in a circle", () => {
  const fleet: readonly NodeWishes[] = [{ name: "a" }, { name: "b", kernel: UBUNTU }];

  test.each([
    ["every node is not Ready", { ready: "False" }],
    ["every node falls silent", { ready: "Unknown" }],
    ["every node gets a NoSchedule taint", { taints: [{ key: "db", effect: "NoSchedule" }] }],
  ] as const)("when %s: drivers stay, and nothing is written to DaemonSets", (_name, wishes) => {
    const stage = new ModuleStage(fleet).store(module()).settle();
    const before = stage.picture();
    const from = workloadSteps(stage).length;
    for (const node of fleet) stage.node({ ...node, ...wishes });
    minutes(stage, 4);
    expect(workloadSteps(stage).slice(from)).toEqual([]);
    expect(stage.picture()).toEqual(before);
  });

  test("when every node has a taint from the start: none is made", () => {
    const stage = new ModuleStage([{ taints: [{ key: "db", effect: "NoSchedule" }] }]).store(module());
    minutes(stage, 3);
    expect(workloadSteps(stage)).toEqual([]);
    expect(stage.status()).toMatchObject({ problems: [{ reason: "TaintNotTolerated", nodes: 1 }] });
  });

  test("when a fresh DaemonSet wants no pods yet, because its controller sleeps: it stays", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module());
    stage.isAlive = false;
    minutes(stage, 4);
    expect(workloadSteps(stage).filter((id) => id.startsWith("delete"))).toEqual([]);
    expect(stage.cluster.workloadsOf(UID)).toHaveLength(1);
  });

  test("when a kernel comes and goes within the grace period: its DaemonSet is the same", () => {
    const stage = new ModuleStage(fleet).store(module()).settle();
    const [before] = stage.cluster.workloadsOf(UID).filter(({ labels }) => labels["module.farrier.dev/fit"] === UBUNTU);
    stage.node({ name: "b", kernel: EL9 });
    stage.settle(15_000);
    stage.node({ name: "b", kernel: UBUNTU });
    stage.settle(120_000);
    const [after] = stage.cluster.workloadsOf(UID).filter(({ labels }) => labels["module.farrier.dev/fit"] === UBUNTU);
    expect(after?.uid).toBe(before?.uid);
    // Nothing is left of the time in which nobody needed it.
    expect(after?.annotations["farrier.dev/unused-since"]).toBeUndefined();
  });
});

describe("one node or part harms no other", () => {
  test("a node with an unreadable kernel leaves all others served", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: "5.14/../etc" }, { name: "c", kernel: null }]);
    stage.store(module()).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:1`, b: "-", c: "-" });
    expect(stage.status()).toMatchObject({ problems: [{ reason: "FactUnknown", nodes: 2, examples: ["b", "c"] }] });
  });

  test("a second OS image on the same kernel gets its own image, from its own DaemonSet", () => {
    const mappings = [
      { regexp: ".", osImage: "Ubuntu", containerImage: image("ubuntu") },
      { regexp: ".", containerImage: image("other") },
    ];
    const stage = new ModuleStage([{ name: "a", osImage: "Ubuntu 24.04" }, { name: "b" }]).store(
      mappedModule(mappings),
    );
    stage.settle();
    expect(["a", "b"].map((node) => stage.imagesOn(node))).toEqual([["kmod:ubuntu"], ["kmod:other"]]);
    expect(stage.cluster.workloadsOf(UID)).toHaveLength(2);
  });

  test("two kernels that differ in a plus sign at the end have one DaemonSet each", () => {
    const stage = new ModuleStage([
      { name: "a", kernel: "6.5.0" },
      { name: "b", kernel: "6.5.0+" },
    ]);
    stage.store(module()).settle();
    expect(stage.cluster.workloadsOf(UID)).toHaveLength(2);
    const kernels = stage.cluster.workloadsOf(UID).map(({ annotations }) => annotations["module.farrier.dev/kernel"]);
    expect(kernels.sort()).toEqual(["6.5.0", "6.5.0+"]);
  });
});

describe("nothing waits for us, and nothing is left", () => {
  test("no finalizer is ever written, so no deletion and no namespace hangs", () => {
    const devicePlugin = { container: { image: "registry.example.com/plugin:1" } };
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { devicePlugin })).settle();
    stage.node({ name: "a", kernel: EL8 });
    stage.settle(120_000);
    expect(JSON.stringify(stage.log)).not.toContain("finalizers");
  });

  test("a node that comes back into scope while its driver is on its way out gets it again", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.node({ name: "a", labels: { "node-role.kubernetes.io/worker": "no" } });
    stage.isAlive = false;
    for (let round = 0; round < 15; round++) stage.round();
    expect(stage.picture()).toEqual({ a: "- kmod:1" });
    stage.node({ name: "a" });
    stage.isAlive = true;
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:1` });
  });

  test("a readiness that was declared is taken back when the pod does not serve any more", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.broken.add("1");
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} kmod:1` });
    stage.broken.delete("1");
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:1` });
  });

  test("a Module whose name holds dots cleans up as any other", () => {
    const stage = new ModuleStage([{ name: "a" }]);
    stage.store({ ...module(), metadata: { name: "my.kmod.v2", namespace: "default" } }).settle();
    expect(stage.picture("my.kmod.v2")).toEqual({ a: `${EL9} ready kmod:1` });
    stage.remove("my.kmod.v2");
    expect(Object.keys(stage.cluster.nodes[0]?.labels ?? {})).toEqual(["node-role.kubernetes.io/worker"]);
  });
});
