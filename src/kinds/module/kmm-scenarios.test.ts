// The situations that KMM's own tests stand for, and the troubles that its users and those of its neighbours reported: each must end well
// here. Names begin with where they come from. Those of builds, rollouts, plugins and circles are in the files of these.
import { describe, expect, test } from "vitest";
import { stepId, targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { validateModule } from "./api/validate.ts";
import { kernelLabelValue } from "./module-labels.ts";
import { podTolerations, resolveNode } from "./resolve.ts";
import { aModule } from "./testing/cases.ts";
import {
  aNode,
  EL8,
  EL9,
  loaderModule,
  mappedModule,
  type NodeWishes,
  parsedModule,
  UBUNTU,
} from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const UID = "uid-of-my-kmod";
const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const module = (spec: JsonObject = {}) => mappedModule([{ regexp: ".", containerImage: image("1") }], spec);
const devicePlugin = { container: { image: "registry.example.com/plugin:1" } };
const fitted = `${EL9} ready kmod:1`;
const setsOf = (stage: ModuleStage) => stage.cluster.workloadsOf(UID);
const deletes = (stage: ModuleStage) => stage.log.map(stepId).filter((id) => id.startsWith("delete apps/v1 DaemonSet"));

describe("mapping", () => {
  const resolved = (object: JsonObject, node: NodeWishes = {}) => {
    const parsed = parsedModule(object);
    return resolveNode(parsed, podTolerations(parsed), aNode(node)).gets;
  };
  const container = (mapping: JsonObject, more: JsonObject = {}) =>
    loaderModule({ containerImage: image("container"), kernelMappings: [{ regexp: ".", ...mapping }], ...more });

  test.each([
    [
      "the image of the mapping wins over that of the container",
      { containerImage: image("mapping") },
      image("mapping"),
    ],
    ["the image of the container stands in", { containerImage: "" }, image("container")],
  ])("%s", (_name, mapping, expected) => {
    expect(resolved(container(mapping))).toMatchObject({ fit: { image: expected } });
  });

  test("TLS and in-tree modules of the mapping win over those of the container", () => {
    const own = { registryTLS: { insecure: true }, inTreeModulesToRemove: ["of_mapping"] };
    const general = { registryTLS: { insecureSkipTLSVerify: true }, inTreeModulesToRemove: ["of_container"] };
    expect(resolved(container(own, general))).toMatchObject({
      fit: { mapping: { registryTls: { isPlainHttp: true }, inTreeModulesToRemove: ["of_mapping"] } },
    });
    expect(resolved(container({}, general))).toMatchObject({
      fit: { mapping: { registryTls: { isAnyCertificateFine: true }, inTreeModulesToRemove: ["of_container"] } },
    });
  });

  test("a template error harms the nodes of that kernel alone", () => {
    const object = mappedModule([{ regexp: ".", containerImage: image(`\${KERNEL_XYZ}`) }]);
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: "custom" }]).store(object).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:5.14.0`, b: "-" });
    expect(stage.status()).toMatchObject({ problems: [{ reason: "ImageInvalid", examples: ["b"] }] });
  });
});

describe("garbage collection of DaemonSets", () => {
  const versioned = (version: string) => loaderModule({ version }, { devicePlugin });
  const asks = (version: string | undefined): JsonObject =>
    version === undefined ? {} : { "kmm.node.kubernetes.io/version-module.default.my-kmod": version };

  test("none: all that are wanted stay", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle(90_000);
    expect([setsOf(stage).length, deletes(stage)]).toEqual([1, []]);
  });

  test("old plugin and old loader with more than 0 desired stay as long as a node asks for that version", () => {
    const stage = new ModuleStage([{ name: "a", labels: asks("1") }]).store(versioned("1")).settle();
    stage.store(versioned("2")).settle(90_000);
    expect(stage.imagesOn("a")).toEqual([`kmod:${EL9}`, "plugin:1"]);
    expect(deletes(stage)).toEqual([]);
  });

  test("old plugin and old loader with 0 desired go, and so does a kernel that is no longer valid: all three", () => {
    const nodes = [
      { name: "a", labels: asks("1") },
      { name: "b", kernel: UBUNTU, labels: asks("1") },
    ];
    const stage = new ModuleStage(nodes).store(versioned("1")).settle();
    expect(setsOf(stage)).toHaveLength(3);
    stage.store(versioned("2"));
    stage.node({ name: "a", labels: asks(undefined) });
    stage.node({ name: "b", kernel: EL9, labels: asks(undefined) });
    stage.settle(40_000);
    for (const name of ["a", "b"]) stage.node({ name, labels: asks("2") });
    stage.settle(120_000);
    const versions = setsOf(stage).map(({ annotations }) => annotations["module.farrier.dev/version"]);
    expect(versions).toEqual(["2", "2"]);
    expect(deletes(stage)).toHaveLength(3);
  });
});

describe("nodes and Modules", () => {
  test.each([
    ["no Modules match", { selector: { gpu: "yes" } }, []],
    ["only matching ones do something", {}, ["my-kmod"]],
  ])("%s", (_name, spec, expected) => {
    const stage = new ModuleStage([{ name: "a" }]).store(module(spec)).settle();
    expect(setsOf(stage).map(({ labels }) => labels["kmm.node.kubernetes.io/module.name"])).toEqual(expected);
  });

  test.each([
    ["equal to a toleration", { key: "a", value: "1", effect: "NoSchedule" }, fitted],
    ["different from it", { key: "b", value: "1", effect: "NoSchedule" }, "-"],
  ])("a taint %s", (_name, taint, expected) => {
    const tolerations = [{ key: "a", operator: "Equal", value: "1", effect: "NoSchedule" }];
    const stage = new ModuleStage([{ name: "a", taints: [taint] }]).store(module({ tolerations })).settle();
    expect(stage.picture()).toEqual({ a: expected });
  });

  test.each([
    ["a plus at its end", "1.2.3+"],
    ["a plus in its middle", "1.2.3+4"],
    ["an ampersand", "1.2.3&4"],
    ["a percent sign", "1.2.3%4"],
    ["a question mark", "1.2.3?4"],
    ["a blank", "1.2.3 4"],
  ])("a kernel with %s has a label value of its own", (_name, kernel) => {
    const value = kernelLabelValue(kernel);
    expect(value).toMatch(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/);
    expect(value).not.toBe(kernelLabelValue(kernel.replace(/[^0-9.]/, "_")));
  });

  test("3.4.12: a change of the kernel alone, with no label and no taint, is seen", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module());
    expect(stage.kind.concerns(stage.stored(), aNode({ kernel: EL9 }), aNode({ kernel: EL8 }))).toBe(true);
  });
});

describe("the label of readiness", () => {
  const READY = "kmm.node.kubernetes.io/default.my-kmod.ready";
  const isDeclared = (stage: ModuleStage) => Object.hasOwn(stage.cluster.nodes[0]?.labels ?? {}, READY);

  test("comes with a ready pod and goes with one that is not", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    expect(isDeclared(stage)).toBe(true);
    stage.broken.add("1");
    stage.settle();
    expect(isDeclared(stage)).toBe(false);
  });

  test("stays when a pod that ends is beside one that is ready", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    const [pod] = stage.cluster.pods.objects();
    const meta = {
      ...objectOf(pod?.metadata),
      name: "ending",
      uid: "ending",
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    stage.cluster.put({ ...pod, metadata: meta, status: {} });
    stage.isAlive = false;
    stage.round();
    expect(isDeclared(stage)).toBe(true);
  });

  test("is not written before there is a pod on the node", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module());
    stage.isAlive = false;
    for (let round = 0; round < 3; round++) stage.round();
    expect(stage.picture()).toEqual({ a: EL9 });
  });
});

describe("what admission says of host paths", () => {
  const mounting = (path: string) =>
    validateModule(
      aModule({ devicePlugin: { ...devicePlugin, volumes: [{ name: "v", hostPath: { path } }] } }),
      undefined,
    );
  test.each(["/devious", "/dev/../etc", "//etc", "/", "/varied/lib"])("%s is refused", (path) => {
    expect(mounting(path).problems).toHaveLength(1);
  });
  test.each(["/dev", "/dev/./fuse", "/var/lib/kubelet/device-plugins", "/run/../run/x"])("%s is fine", (path) => {
    expect(mounting(path).problems).toEqual([]);
  });
});

describe("what users of KMM asked for", () => {
  const WORKER_AWAY = { "node-role.kubernetes.io/worker": "no" };
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

  test("8.2: a cordon unloads nothing, and neither does taking it back", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    const from = stage.log.length;
    stage.node({ name: "a", taints: [cordon] });
    stage.settle();
    stage.node({ name: "a" });
    stage.settle();
    expect(stage.log.slice(from).filter((step) => targetOf(step).kind !== "Module")).toEqual([]);
  });

  test("8.2: unloadPolicy Leave keeps the driver in the kernel when its pod goes", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { unloadPolicy: "Leave" })).settle();
    expect(JSON.stringify(setsOf(stage)[0]?.spec)).not.toContain("preStop");
    expect(JSON.stringify(setsOf(stage)[0]?.spec)).toContain("postStart");
  });

  test("8.4: a cordoned node keeps its device plugin together with its driver", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { devicePlugin })).settle();
    stage.node({ name: "a", taints: [cordon] });
    stage.settle();
    expect(stage.imagesOn("a")).toEqual([`kmod:${EL9}`, "plugin:1"]);
  });

  test.each(["disk-pressure", "memory-pressure", "pid-pressure", "not-ready", "unreachable"])(
    "8.10: a node under %s keeps its driver",
    (trouble) => {
      const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
      stage.node({ name: "a", taints: [{ key: `node.kubernetes.io/${trouble}`, effect: "NoSchedule" }] });
      stage.settle();
      expect(stage.picture()).toEqual({ a: fitted });
    },
  );

  test("8.11: a fast reboot shows in the pod, and readiness is taken back until the driver is loaded again", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.broken.add("1");
    stage.round();
    stage.round();
    expect(stage.picture()).toEqual({ a: `${EL9} kmod:1` });
    stage.broken.clear();
    stage.settle();
    expect(stage.picture()).toEqual({ a: fitted });
  });

  test("8.13: in a namespace that is being deleted nothing is made, and nothing waits for us", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module());
    const metadata = { name: "default", deletionTimestamp: "2026-01-01T00:00:00Z" };
    stage.cluster.put({ apiVersion: "v1", kind: "Namespace", metadata });
    expect(stage.decide().plan.steps).toEqual([]);
  });

  test("8.24: a Module that loses its device plugin while a node leaves does not wait for itself", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { devicePlugin })).settle();
    stage.node({ name: "a", labels: WORKER_AWAY });
    stage.store(loaderModule()).settle(90_000);
    expect(stage.picture()).toEqual({ a: "-" });
    expect(setsOf(stage)).toEqual([]);
  });

  test("3.4.1: without its moduleLoader a Module unloads its driver everywhere", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule({}, { devicePlugin })).settle();
    stage.store(aModule({ devicePlugin })).settle(90_000);
    expect(stage.imagesOn("a")).toEqual(["plugin:1"]);
  });

  test("3.4.3: a Module of the same name in another namespace keeps its driver when this one goes", () => {
    const elsewhere = { ...module(), metadata: { name: "my-kmod", namespace: "elsewhere" } };
    const stage = new ModuleStage([{ name: "a" }]).store(module()).store(elsewhere).settle();
    stage.remove("my-kmod");
    stage.settle();
    expect(stage.cluster.nodes[0]?.labels).toMatchObject({ "module.farrier.dev/elsewhere.my-kmod": EL9 });
  });

  test("3.4.11: nodes whose labels are right are not written to", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b" }]).store(module()).settle();
    stage.store(module({ updateStrategy: { maxUnavailable: 2 } }));
    expect(stage.decide().plan.steps.map((step) => targetOf(step).kind)).toEqual(["Module"]);
  });
});

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
