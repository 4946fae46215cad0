// What becomes of a Module when its nodes change: they join, leave, reboot, are relabelled, and say things that nobody can read.
import { describe, expect, test } from "vitest";
import { stepId } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { aNode, EL8, EL9, loaderModule, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";
import { byKernel, image, kernelsOf } from "./testing/two-kernels.ts";

describe("a node", () => {
  test("that joins gets its driver, from a DaemonSet that is made for its kernel if there is none", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.node({ name: "b", kernel: UBUNTU });
    stage.settle();
    expect(stage.picture()).toMatchObject({ b: `${UBUNTU} ready kmod:ubuntu` });
    expect(kernelsOf(stage)).toEqual([EL9, UBUNTU]);
  });

  test("wakes the Modules that it concerns, and no others", () => {
    const stage = new ModuleStage().store(loaderModule()).store(named("other", { selector: { gpu: "yes" } }));
    const [stored, other] = [stage.stored(), stage.stored("other")];
    const now = aNode();
    const rows = [
      [undefined, now, true],
      [now, undefined, true],
      [now, aNode(), false],
      [now, aNode({ kernel: EL8 }), true],
      [now, aNode({ labels: { rack: "7" } }), false],
      [now, aNode({ ready: "False" }), true],
      [now, aNode({ taints: [{ key: "k", effect: "NoExecute" }] }), true],
      [now, aNode({ isLeaving: true }), true],
      [now, aNode({ labels: { "module.farrier.dev/default.my-kmod": EL9 } }), true],
      [now, aNode({ labels: { "kmm.node.kubernetes.io/default.my-kmod.ready": "" } }), true],
    ] as const;
    for (const [was, then, expected] of rows) {
      expect(stage.kind.concerns(stored, was, then)).toBe(expected);
      expect(stage.kind.concerns(other, was, then)).toBe(false);
    }
  });

  test("that leaves takes its kernel's DaemonSet with it, after a grace period", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel()).settle();
    stage.node({ name: "b", kernel: EL9 });
    stage.settle(10_000);
    expect(kernelsOf(stage)).toEqual([EL9, UBUNTU]);
    stage.settle(90_000);
    expect(kernelsOf(stage)).toEqual([EL9]);
    expect(stage.log.map(stepId).some((id) => id.endsWith("WorkloadPruned"))).toBe(true);
  });

  test("that leaves the scope is let go although a label that the Module does not read changes all the time", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { selector: { gpu: "no" } })).settle();
    stage.node({ name: "a", labels: { gpu: "no" } });
    stage.settle();
    stage.node({ name: "a", labels: { gpu: "yes" } });
    const young = (_node: string, keys?: readonly string[]) => (keys?.includes("tick") === false ? 0 : stage.nowMs);
    Object.assign(stage.cluster, { factsSinceMs: young });
    expect(stage.settle().picture()).toEqual({ a: "-" });
  });

  test("that reboots keeps its label while its DaemonSet counts a pod that is not seen: the watch may be deaf", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    const [pod] = stage.cluster.pods.values();
    stage.isAlive = false;
    stage.cluster.remove(stage.cluster.pods, `default/${pod?.name}`);
    stage.node({ name: "a", kernel: UBUNTU });
    for (let round = 0; round < 20; round++) stage.round();
    expect(stage.picture().a).toContain(EL9);
    // Its controller counts what is there, and so do we.
    stage.isAlive = true;
    expect(stage.settle().picture()).toEqual({ a: `${UBUNTU} ready kmod:ubuntu` });
  });

  test("that reboots into another kernel has the old driver gone before the new one comes", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.node({ name: "a", kernel: UBUNTU });
    const seen: string[] = [];
    for (let round = 0; round < 20; round++) {
      stage.round();
      expect(stage.imagesOn("a").length).toBeLessThan(2);
      if (seen.at(-1) !== stage.picture().a) seen.push(stage.picture().a ?? "");
    }
    expect(seen).toEqual([`${EL9} kmod:el9`, "-", `${UBUNTU} kmod:ubuntu`, `${UBUNTU} ready kmod:ubuntu`]);
  });

  test("that reboots is not bound anew while the old driver's pod is still there", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.node({ name: "a", kernel: UBUNTU });
    stage.isAlive = false;
    for (let round = 0; round < 20; round++) stage.round();
    expect(stage.picture()).toEqual({ a: "- kmod:el9" });
    expect(stage.decide().plan.held).toMatchObject([{ node: "a", reason: "HandOver" }]);
    stage.isAlive = true;
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${UBUNTU} ready kmod:ubuntu` });
  });

  test("that reboots into a kernel whose image is missing loses a driver that cannot be loaded there", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.images.set(image("ubuntu"), { is: "missing", askedMs: 0 });
    stage.node({ name: "a", kernel: UBUNTU });
    stage.settle();
    expect(stage.picture()).toEqual({ a: "-" });
  });

  test("whose facts flap keeps its driver", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    const pods = stage.cluster.pods.values().map(({ uid }) => uid);
    stage.node({ name: "a", kernel: UBUNTU });
    stage.round();
    stage.node({ name: "a" });
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
    expect(stage.cluster.pods.values().map(({ uid }) => uid)).toEqual(pods);
  });

  test("that is relabelled out of scope loses its labels and its driver", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.node({ name: "a", labels: { "node-role.kubernetes.io/worker": "no" } });
    stage.settle();
    expect(stage.picture()).toEqual({ a: "-" });
    expect(Object.keys(stage.cluster.nodes[0]?.labels ?? {})).toEqual(["node-role.kubernetes.io/worker"]);
  });

  test("without a kernel, or of another architecture than it says, keeps what it has", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.node({ name: "a", kernel: null });
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
    // And it holds up nobody else.
    expect(stage.decide().plan.held).toEqual([]);
  });

  test("whose clock is ahead has a driver that serves, as for Kubernetes: ready is enough", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    const [pod] = stage.cluster.pods.objects();
    const lastTransitionTime = new Date(stage.nowMs + 30_000).toISOString();
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
    stage.cluster.put({ ...pod, status: { phase: "Running", conditions } });
    expect(stage.decide().plan).toMatchObject({ held: [], steps: [] });
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
  });

  test("that is being deleted is left alone and holds up nothing", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b" }]).store(byKernel()).settle();
    const from = stage.log.length;
    stage.node({ name: "b", isLeaving: true });
    stage.settle();
    expect(stage.log.slice(from).every(({ do: what }) => what === "status")).toBe(true);
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted", RolledOut: "True RolloutComplete" });
  });
});

function named(name: string, spec: JsonObject = {}): JsonObject {
  return { ...loaderModule({}, spec), metadata: { name, namespace: "default" } };
}
