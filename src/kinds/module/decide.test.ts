// What a Module does in a cluster that does not change: new Modules, kernels without a mapping, and two Modules side by side.
import { describe, expect, test } from "vitest";
import { stepId, targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Decision } from "../kind.ts";
import { aModule } from "./testing/cases.ts";
import { EL8, EL9, loaderModule, mappedModule, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";
import { byKernel, image, KERNEL, kernelsOf, UID } from "./testing/two-kernels.ts";

describe("a new Module", () => {
  test("gets one DaemonSet per kernel, and every node of a mapped kernel its driver", () => {
    const nodes = [{ name: "a" }, { name: "b" }, { name: "c", kernel: UBUNTU }, { name: "d", kernel: EL8 }];
    const stage = new ModuleStage(nodes).store(byKernel()).settle();
    expect(stage.picture()).toEqual({
      a: `${EL9} ready kmod:el9`,
      b: `${EL9} ready kmod:el9`,
      c: `${UBUNTU} ready kmod:ubuntu`,
      d: "-",
    });
    expect(kernelsOf(stage)).toEqual([EL9, UBUNTU]);
  });

  test("owns its DaemonSets, which carry the labels that they are found by", () => {
    const stage = new ModuleStage([{}]).store(loaderModule()).settle();
    const [set] = stage.cluster.workloadsOf(UID);
    expect(set?.controllerUid).toBe(UID);
    expect(set?.labels).toMatchObject({ "kmm.node.kubernetes.io/module.name": "my-kmod", [KERNEL]: EL9 });
  });

  test("labels a node only after the DaemonSet exists and its image is ready", () => {
    const stage = new ModuleStage([{}]).store(byKernel());
    stage.images.set(image("el9"), { is: "missing", askedMs: 0 });
    expect(stage.decide().plan).toMatchObject({ held: [{ node: "w-1", reason: "ImageMissing" }] });
    expect(stage.decide().plan.steps.filter(({ do: what }) => what === "apply")).toEqual([]);
    stage.images.delete(image("el9"));
    const { steps } = stage.decide().plan;
    const [workload, label] = steps.filter(({ do: what }) => what === "apply");
    expect(workload && targetOf(workload).kind).toBe("DaemonSet");
    expect(label && [targetOf(label).kind, label.after]).toEqual(["Node", workload && [stepId(workload)]]);
  });

  test("binds nodes before it tells of others that their driver is ready: a long plan is performed in parts", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel());
    while (stage.imagesOn("a").length === 0) stage.round();
    stage.node({ name: "b" });
    const labelled = stage.decide().plan.steps.filter((step) => targetOf(step).kind === "Node");
    expect(labelled.map((step) => targetOf(step).name)).toEqual(["b", "a"]);
  });

  test("writes nothing more once all is done", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel()).settle();
    const written = stage.log.length;
    for (let round = 0; round < 5; round++) stage.round();
    expect(stage.log.slice(written)).toEqual([]);
  });

  test("is refused when it breaks a rule, keeps what it has, and says what is wrong", () => {
    const stage = new ModuleStage([{}]).store(loaderModule()).settle();
    stage.store(loaderModule({ kernelMappings: [{ regexp: "(" }] })).settle();
    expect(stage.picture()).toEqual({ "w-1": `${EL9} ready kmod:${EL9}` });
    expect(stage.conditions()).toMatchObject({ Ready: "False InvalidSpec", Stalled: "True InvalidSpec" });
  });

  test("does nothing in a namespace that is being deleted, nor while it is being deleted itself", () => {
    const stage = new ModuleStage([{}]).store(loaderModule());
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const observed = stage.kind.observe(stage.cluster, { ...stage.stored(), isLeaving: true });
    expect(observed.decide(stage.nowMs).plan.steps).toEqual([]);
    stage.cluster.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default", deletionTimestamp } });
    expect(stage.decide().plan.steps).toEqual([]);
  });
});

describe("no mapping", () => {
  test("nothing runs there, and status says so with the nearest miss", () => {
    const stage = new ModuleStage([{ name: "a", kernel: EL8 }]).store(byKernel()).settle();
    expect(stage.cluster.workloadsOf(UID)).toEqual([]);
    expect(stage.picture()).toEqual({ a: "-" });
    expect(stage.conditions()).toMatchObject({
      ...{ Mapped: "False KernelUnmapped", Ready: "False KernelUnmapped", Reconciling: "False KernelUnmapped" },
    });
    expect(JSON.stringify(stage.status())).toContain("the nearest miss");
  });

  test("people are warned once, and told what was done", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: EL8 }]).store(byKernel()).settle(90_000);
    const events = stage.log.flatMap((step) => (step.do === "event" ? [`${step.severity} ${step.reason}`] : []));
    expect(events.sort()).toEqual(["Normal WorkloadCreated", "Warning KernelUnmapped"]);
  });

  test("a mapping that is removed while nodes run its kernel takes the driver away, and the DaemonSet later", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel()).settle();
    stage.store(mappedModule([{ regexp: "el9", containerImage: image("el9") }])).settle(90_000);
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9`, b: "-" });
    expect(kernelsOf(stage)).toEqual([EL9]);
  });

  test("a Module that loses its driver and keeps its plugin unloads it everywhere", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    stage.store(aModule({ devicePlugin: { container: { image: "registry.example.com/plugin:1" } } })).settle(90_000);
    expect(stage.imagesOn("a")).toEqual(["plugin:1"]);
    expect(stage.cluster.workloadsOf(UID)).toHaveLength(1);
  });
});

describe("two Modules", () => {
  test("share the kernel's label without a fight, also when their node reboots", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule()).store(named("other")).settle();
    expect(stage.cluster.nodes[0]?.labels[KERNEL]).toBe(EL9);
    stage.node({ name: "a", kernel: UBUNTU });
    stage.settle();
    expect(stage.cluster.nodes[0]?.labels[KERNEL]).toBe(UBUNTU);
    expect([stage.picture(), stage.picture("other")]).toEqual([
      { a: `${UBUNTU} ready kmod:${UBUNTU}` },
      { a: `${UBUNTU} ready kmod:${UBUNTU}` },
    ]);
  });

  test("of one name in two namespaces have nothing in common", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule());
    const elsewhere = { ...loaderModule(), metadata: { name: "my-kmod", namespace: "elsewhere" } };
    stage.store(elsewhere);
    const [mine, theirs] = [stage.decide("my-kmod"), stage.decide("my-kmod", "elsewhere")];
    const labels = ({ plan }: Decision) =>
      plan.steps.flatMap((step) =>
        step.do === "apply" && step.object.kind === "Node" ? Object.keys(step.object.metadata.labels ?? {}) : [],
      );
    expect(labels(mine)).toContain("module.farrier.dev/default.my-kmod");
    expect(labels(theirs)).toContain("module.farrier.dev/elsewhere.my-kmod");
    expect(labels(mine)).not.toContain("module.farrier.dev/elsewhere.my-kmod");
  });
});

function named(name: string, spec: JsonObject = {}): JsonObject {
  return { ...loaderModule({}, spec), metadata: { name, namespace: "default" } };
}
