// DaemonSets that earlier designs made for a Module: they are taken over, not doubled, and their pods go on.
import { describe, expect, test } from "vitest";
import { stepId, targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { EL9, mappedModule } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const image = "registry.example.com/kmod:1";
const module = (tag = "1") =>
  mappedModule([{ regexp: "el9", containerImage: `registry.example.com/kmod:${tag}` }], {
    driverContainer: { name: "driver-container", args: ["load"] },
  });
const SEED = { name: "ooto.sigs.k8s.io/module-name", kernel: "oot.node.kubernetes.io/kernel-version.full" };
const KMM = { name: "kmm.node.kubernetes.io/module.name", kernel: "kmm.node.kubernetes.io/kernel-version.full" };

/** A DaemonSet as the first design made it: found by two labels, placed by a label of the kernel. */
function oldSet(keys: typeof SEED, owner: JsonObject = {}): JsonObject {
  const labels = { [keys.name]: "my-kmod", [keys.kernel]: EL9 };
  const containers = [{ name: "driver-container", image, args: ["load"] }];
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
    metadata: { name: "my-kmod-x7k2p", namespace: "default", uid: "old-set", labels, generation: 1, ...owner },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { nodeSelector: { [keys.kernel]: EL9 }, priorityClassName: "system-node-critical", containers },
      },
    },
  };
}

const controlled = {
  ownerReferences: [
    {
      apiVersion: "kmm.sigs.x-k8s.io/v1beta1",
      kind: "Module",
      name: "my-kmod",
      uid: "uid-of-my-kmod",
      controller: true,
    },
  ],
};

function running(keys: typeof SEED, owner: JsonObject = {}): ModuleStage {
  const stage = new ModuleStage(["a", "b"].map((name) => ({ name, labels: { [keys.kernel]: EL9 } })));
  stage.cluster.put(oldSet(keys, owner));
  stage.round();
  expect(stage.cluster.pods.values()).toHaveLength(2);
  return stage;
}

describe.each([
  ["the seed's labels", SEED, {}],
  ["KMM's labels, left behind", KMM, {}],
  ["KMM's labels, controlled by the Module itself", KMM, controlled],
])("a DaemonSet with %s", (_name, keys, owner) => {
  test("is adopted: one DaemonSet, the same pods, and nodes that are bound to it", () => {
    const stage = running(keys, owner);
    stage.store(module()).settle();
    const sets = stage.cluster.workloadsOf("uid-of-my-kmod");
    expect(sets.map(({ name }) => name)).toEqual(["my-kmod-x7k2p"]);
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:1`, b: `${EL9} ready kmod:1` });
    expect(sets[0]?.labels).toMatchObject({ "module.farrier.dev/fit": EL9 });
  });

  test("keeps a driver on every node while it is adopted", () => {
    const stage = running(keys, owner).store(module());
    for (let round = 0; round < 20; round++) {
      stage.round();
      const drivers = ["a", "b"].map((node) => stage.cluster.pods.values().filter((pod) => pod.node === node).length);
      expect(drivers).toEqual([1, 1]);
    }
  });

  test("is narrowed to bound nodes only when every node with a pod of it is bound", () => {
    const stage = running(keys, owner).store(module());
    const kinds = () => stage.decide().plan.steps.map((step) => targetOf(step).kind);
    expect(kinds()).toEqual(["Node", "Node", "Module"]);
    stage.round();
    expect(kinds()).toContain("DaemonSet");
    // By a patch: an apply would meet the fields of whoever wrote it before.
    const step = stage.decide().plan.steps.find((each) => targetOf(each).kind === "DaemonSet");
    expect(step?.do).toBe("patch");
  });

  test("gets a new image within the budget", () => {
    const stage = running(keys, owner).store(module()).settle();
    stage.store(module("2")).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:2`, b: `${EL9} ready kmod:2` });
  });
});

test.each([
  ["that nobody controls", {}],
  ["that the Module controls", controlled],
])("pods of an adopted DaemonSet %s are not restarted while their containers stay the same", (_name, owner) => {
  const stage = running(SEED, owner);
  const before = stage.cluster.pods.values().map(({ uid }) => uid);
  stage.store(module()).settle();
  expect(stage.cluster.pods.values().map(({ uid }) => uid)).toEqual(before);
});

test("a DaemonSet that another object controls is left alone, and a new one is made beside it", () => {
  const owner = {
    ownerReferences: [{ apiVersion: "v1", kind: "Other", name: "o", uid: "somebody", controller: true }],
  };
  const stage = running(KMM, owner);
  const before = stage.cluster.workloads.object("default/my-kmod-x7k2p");
  stage.store(module()).settle();
  expect(stage.cluster.workloads.object("default/my-kmod-x7k2p")).toEqual(before);
  expect(stage.cluster.workloadsOf("uid-of-my-kmod")).toHaveLength(1);
  expect(stage.log.map(stepId).filter((id) => id.includes("my-kmod-x7k2p"))).toEqual([]);
});

test("a DaemonSet of an earlier design that no node needs and nobody controls is nobody's to delete", () => {
  const stage = new ModuleStage([{ name: "a", kernel: "6.8.0-45-generic" }]).store(module());
  stage.cluster.put(oldSet(SEED));
  stage.settle(100_000);
  expect(stage.cluster.workloads.object("default/my-kmod-x7k2p")).toMatchObject({ metadata: { uid: "old-set" } });
  expect(stage.log.map(stepId).filter((id) => id.includes("my-kmod-x7k2p"))).toEqual([]);
});
