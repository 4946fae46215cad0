// What a Module does in a cluster: the sentences of its design, each as a story on a stage.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { stepId, targetOf } from "../../core/step.ts";
import type { Decision } from "../kind.ts";
import { aModule } from "./cases.ts";
import type { PlanBuilds } from "./decide.ts";
import { aNode, EL8, EL9, loaderModule, mappedModule, UBUNTU } from "./module-builders.ts";
import { imagesAsTheyAre, ModuleStage } from "./module-stage.ts";

const UID = "uid-of-my-kmod";
const KERNEL = "kmm.node.kubernetes.io/kernel-version.full";
const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const byKernel = (el9 = "el9", ubuntu = "ubuntu", more: JsonObject = {}) =>
  mappedModule(
    [
      { regexp: "el9", containerImage: image(el9) },
      { regexp: "generic$", containerImage: image(ubuntu) },
    ],
    more,
  );
const kernelsOf = (stage: ModuleStage) =>
  stage.cluster
    .workloadsOf(UID)
    .map(({ labels }) => labels[KERNEL])
    .sort();
const isWorkloadStep = (step: Parameters<typeof targetOf>[0]) => targetOf(step).kind === "DaemonSet";

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

describe("a new image for a kernel", () => {
  test("updates the DaemonSet of that kernel and leaves the other alone", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel()).settle();
    const before = stage.cluster.workloadsOf(UID).map(({ name, generation }) => [name, generation]);
    stage.store(byKernel("el9-2")).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9-2`, b: `${UBUNTU} ready kmod:ubuntu` });
    const after = stage.cluster.workloadsOf(UID).map(({ name, generation }) => [name, generation]);
    const [el9, ubuntu] = kernelsOf(stage).map((kernel) => (kernel === EL9 ? 0 : 1));
    expect([after.length, el9, ubuntu]).toEqual([2, 0, 1]);
    expect(after.map(([name]) => name)).toEqual(before.map(([name]) => name));
    expect(after.map(([, generation]) => generation).sort()).toEqual([1, 2]);
  });

  test("that needs a build waits for it: the DaemonSet keeps its old template until then", () => {
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "build-1", namespace: "default" } };
    const planBuilds: PlanBuilds = (input) => {
      const plain = imagesAsTheyAre(input);
      const missing = input.wanted.filter(({ image: each }) => plain.images.get(each)?.is === "missing");
      return {
        ...plain,
        steps: missing.length === 0 ? [] : [{ do: "create", object: job, why: "the image is missing" }],
        images: new Map(
          [...plain.images].map(([each, progress]) => [
            each,
            progress.is === "missing" ? { is: "building", reason: "BuildRunning", because: "build-1 runs" } : progress,
          ]),
        ),
      };
    };
    const stage = new ModuleStage([{ name: "a" }], planBuilds).store(byKernel()).settle();
    stage.images.set(image("el9-2"), { is: "missing", askedMs: 0 });
    stage.store(byKernel("el9-2"));
    expect(stage.decide().plan.steps.map(stepId)).toContain("create batch/v1 Job default/build-1");
    stage.round();
    expect(stage.log.filter(isWorkloadStep)).toHaveLength(1);
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
    expect(stage.status()).toMatchObject({
      buildingCount: 1,
      kernels: [{ state: "Building", reason: "BuildRunning" }],
    });
    expect(stage.conditions()).toMatchObject({ Ready: "False BuildRunning", ImagesAvailable: "False BuildRunning" });
    // A node that joins meanwhile gets what there is.
    stage.node({ name: "b" });
    stage.round();
    stage.round();
    expect(stage.picture()).toMatchObject({ b: `${EL9} ready kmod:el9` });
    stage.images.delete(image("el9-2"));
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9-2`, b: `${EL9} ready kmod:el9-2` });
  });

  test("whose build has failed for good stalls the Module, with the end of the log, and leaves the old driver", () => {
    const failed: PlanBuilds = (input) => {
      const plain = imagesAsTheyAre(input);
      const progress = { is: "failed", reason: "BuildFailed", because: "make: *** [kmod.ko] Error 2" } as const;
      return {
        ...plain,
        images: new Map([...plain.images].map(([each, is]) => [each, is.is === "missing" ? progress : is])),
      };
    };
    const stage = new ModuleStage([{ name: "a" }], failed).store(byKernel()).settle();
    stage.images.set(image("el9-2"), { is: "missing", askedMs: 0 });
    stage.store(byKernel("el9-2")).settle();
    expect(stage.conditions()).toMatchObject({ Ready: "False BuildFailed", Stalled: "True BuildFailed" });
    expect(stage.status()).toMatchObject({
      kernels: [{ state: "Failed", message: expect.stringContaining("Error 2") }],
    });
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
  });

  test("that is missing for one kernel holds up no other kernel", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel());
    stage.images.set(image("ubuntu"), { is: "missing", askedMs: 0 });
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9`, b: "-" });
    expect(stage.status()).toMatchObject({ problems: [{ reason: "ImageMissing", nodes: 1, examples: ["b"] }] });
  });
});

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

  test("whose pod is ready from an instant that lies ahead is looked at again then", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(byKernel()).settle();
    const [pod] = stage.cluster.pods.objects();
    const atMs = stage.nowMs + 30_000;
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date(atMs).toISOString() }];
    stage.cluster.put({ ...pod, status: { phase: "Running", conditions } });
    // As the operator's snapshot does: lists stay the same while nothing in them changes.
    const [pods, sets] = [stage.cluster.pods.values(), stage.cluster.workloadsOf(UID)];
    const revisions = stage.cluster.ownedBy(sets[0]?.uid ?? "", "ControllerRevision");
    Object.assign(stage.cluster, { podsOf: () => pods, workloadsOf: () => sets, ownedBy: () => revisions });
    const decide = (nowMs: number) => stage.kind.observe(stage.cluster, stage.stored()).decide(nowMs).plan;
    expect(decide(stage.nowMs)).toMatchObject({ held: [{ node: "a", reason: "Progressing" }], lookAgainAtMs: atMs });
    expect(decide(atMs)).toMatchObject({ held: [], steps: [] });
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

describe("a Module that is deleted", () => {
  test("leaves no DaemonSet and no label, and the kernel's label only to others", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule()).store(named("other")).settle();
    stage.remove("my-kmod");
    expect(stage.cluster.nodes[0]?.labels).toMatchObject({ [KERNEL]: EL9, "module.farrier.dev/default.other": EL9 });
    expect(stage.imagesOn("a", "other")).toEqual([`kmod:${EL9}`]);
    stage.remove("other");
    expect(Object.keys(stage.cluster.nodes[0]?.labels ?? {})).toEqual(["node-role.kubernetes.io/worker"]);
    expect(stage.cluster.workloads.values()).toEqual([]);
  });

  test("is found by the labels that it left, and by no label of others", () => {
    const { traces } = new ModuleStage([]).kind;
    const left = (key: string) => traces?.leftOn(aNode({ labels: { [key]: "" } }));
    expect(left("module.farrier.dev/ns.my.kmod")).toEqual([{ namespace: "ns", name: "my.kmod" }]);
    expect(left("kmm.node.kubernetes.io/ns.my.kmod.ready")).toEqual([{ namespace: "ns", name: "my.kmod" }]);
    expect(left("kmm.node.kubernetes.io/ns.my.kmod.version.ready")).toEqual([{ namespace: "ns", name: "my.kmod" }]);
    expect(["module.farrier.dev/fit", KERNEL, "kubernetes.io/os"].flatMap((key) => left(key))).toEqual([]);
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
