// What is left when a Module goes: nothing of its own, and all that others share with it.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { aNode, EL9, loaderModule } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const KERNEL = "kmm.node.kubernetes.io/kernel-version.full";

const BINDING = "module.farrier.dev/default.my-kmod";
/** A DaemonSet of a Module of the same name that is gone. */
const leftBehind: JsonObject = {
  ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
  metadata: {
    ...{ name: "my-kmod-old", namespace: "default", uid: "uid-of-my-kmod-old" },
    labels: { "kmm.node.kubernetes.io/module.name": "my-kmod", "module.farrier.dev/fit": EL9 },
    ownerReferences: [{ kind: "Module", name: "my-kmod", uid: "uid-of-an-earlier-one", controller: true }],
  },
  spec: {
    selector: { matchLabels: { "module.farrier.dev/fit": EL9 } },
    template: {
      metadata: { labels: { "module.farrier.dev/fit": EL9 } },
      spec: { nodeSelector: { [BINDING]: EL9 }, containers: [{ name: "old", image: "registry.example.com/kmod:old" }] },
    },
  },
};

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

  test("and made anew waits until what it had is collected", () => {
    const stage = new ModuleStage([{ name: "a" }]);
    stage.cluster.put(leftBehind);
    stage.store(loaderModule());
    for (let round = 0; round < 30; round++) stage.round();
    expect(stage.cluster.workloadsOf("uid-of-my-kmod")).toEqual([]);
    expect(stage.decide().plan.lookAgainAtMs).toBe(stage.nowMs + 1_000);
    expect(stage.conditions()).toMatchObject({ Reconciling: "True RolloutInProgress" });
    stage.cluster.remove(stage.cluster.workloads, "default/my-kmod-old");
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:${EL9}` });
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

function named(name: string, spec: JsonObject = {}): JsonObject {
  return { ...loaderModule({}, spec), metadata: { name, namespace: "default" } };
}
