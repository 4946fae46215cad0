import { describe, expect, test } from "vitest";
import { type Files, play, stageNode, stagePod, stageSet } from "./testing/cli-stage.ts";

const agent = stageSet({
  status: {
    observedGeneration: 2,
    ...{ desiredNumberScheduled: 3, numberReady: 2, numberAvailable: 2 },
    conditions: [
      { type: "Ready", status: "False", reason: "RolloutInProgress", message: "2 of 3 nodes are fitted" },
      { type: "Reconciling", status: "True", reason: "RolloutInProgress", message: "1 node to go" },
      { type: "Stalled", status: "False", reason: "Succeeded", message: "" },
      { type: "RolledOut", status: "False", reason: "RolloutInProgress", message: "1 node to go" },
    ],
  },
});
const driver = {
  ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module" },
  metadata: { name: "gpu", namespace: "drivers", uid: "u-gpu", generation: 1 },
  spec: {},
  status: {
    observedGeneration: 1,
    nodes: { inScope: 3, fitted: 2, unfit: 1 },
    kernels: [
      { kernel: "6.1.97", nodes: 2, ready: 2, state: "Ready" },
      { kernel: "6.1.97-flatcar", nodes: 1, ready: 0, state: "Unmapped", reason: "KernelUnmapped" },
    ],
    conditions: [{ type: "Ready", status: "False", reason: "KernelUnmapped", message: "1 kernel has no mapping" }],
    problems: [{ reason: "KernelUnmapped", message: "no mapping matches", nodes: 1, examples: ["edge-3"] }],
  },
};
const bound = { labels: { "module.farrier.dev/drivers.gpu": "x" } };
const files: Files = {
  "all.yaml": [
    ...[stageNode("edge-1", bound), stageNode("edge-2", bound), stageNode("edge-3", { kernel: "6.1.97-flatcar" })],
    ...[agent, driver, stagePod("edge-1", "u-agent"), stagePod("edge-2", "u-agent", { isReady: false })],
    stagePod("edge-3", "u-agent"),
  ],
};

describe("status", () => {
  test("tells how objects stand, what to ask next, and who is served by kernel", async () => {
    const { code, out, err } = await play("status --from all.yaml", files);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatchInlineSnapshot(`
      "all.yaml   3 nodes   2 kernels   2 objects

      NAMESPACE  KIND       NAME   NODES  FITTED  READY  REASON
      drivers    Module     gpu    3      2       False  KernelUnmapped
      storage    DaemonSet  agent  3      2       False  RolloutInProgress

      Attention
        ✖ module/drivers/gpu   KernelUnmapped on 1 node: no mapping matches
            farrier explain node edge-3
        ✖ daemonset/storage/agent   RolloutInProgress: 2 of 3 nodes are fitted
            farrier explain node edge-2

      KERNEL          NODES  gpu    agent
      6.1.97          2      0/2 ◌  1/2 ◌
      6.1.97-flatcar  1      0/1 ✖  1/1 ✔  KernelUnmapped
      "
    `);
  });

  test("tells of one object, and of one namespace", async () => {
    const one = JSON.parse((await play("status daemonset/agent --from all.yaml -o json", files)).out);
    const space = JSON.parse((await play("status -n drivers --from all.yaml -o json", files)).out);
    expect(one).toMatchObject({
      formatVersion: "1.0",
      kind: "Status",
      objects: [{ kind: "DaemonSet", name: "agent" }],
    });
    expect(space).toMatchObject({ objects: [{ kind: "Module", name: "gpu", nodes: 3, fitted: 2 }] });
  });

  test("does not believe a status of an earlier spec", async () => {
    const old = { ...agent, metadata: { ...agent.metadata, generation: 3 } };
    const { out } = await play("status --from old.yaml -o json", { "old.yaml": [old] });
    expect(JSON.parse(out)).toMatchObject({
      objects: [{ ready: "Unknown", reason: "" }],
      attention: [{ message: expect.stringContaining("has not seen generation 3: its status is of an earlier spec") }],
    });
  });

  test("counts a node once, and as served only when each of its owners has a pod that is ready", async () => {
    const workload = {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", spec: {} },
      metadata: {
        ...{ name: "gpu-plugin", namespace: "drivers", uid: "u-plugin" },
        ownerReferences: [{ apiVersion: "v1", kind: "Module", name: "gpu", uid: "u-gpu", controller: true }],
      },
    };
    const plugin = stagePod("edge-1", "u-plugin", { isReady: false });
    const both = [stagePod("edge-1", "u-gpu"), { ...plugin, metadata: { ...plugin.metadata, name: "plugin" } }];
    const { out } = await play("status gpu --from both.yaml -o json", {
      "both.yaml": [stageNode("edge-1", bound), stageNode("edge-2"), driver, workload, ...both],
    });
    expect(JSON.parse(out).kernels).toMatchObject([{ kernel: "6.1.97", nodes: 2, cells: [{ serving: 0, wanted: 2 }] }]);
  });

  test("does not pass over a node that should have a pod and has none", async () => {
    const problems = [{ reason: "PatchRejected", message: "clashes", nodes: 1, examples: ["edge-2"] }];
    const held = stageSet({ status: { observedGeneration: 2, problems } });
    const { out } = await play("status agent --from held.yaml -o json", {
      "held.yaml": [stageNode("edge-1"), stageNode("edge-2"), held, stagePod("edge-1", "u-agent")],
    });
    expect(JSON.parse(out).kernels).toMatchObject([{ nodes: 2, cells: [{ serving: 1, wanted: 2 }] }]);
  });

  test("says what to do where there is no object", async () => {
    const { out } = await play("status --from none.yaml", { "none.yaml": [stageNode("edge-1")] });
    expect(out).toContain("There is no object of ours; plan for one with farrier plan -f FILE.");
  });

  test.each([
    ["an object that is not there", "status module/agent", '"module/agent" is not in all.yaml; farrier status lists'],
    [
      "a kind that is none",
      "status pod/storage/agent",
      '"pod/storage/agent" names no object; give kind/namespace/name',
    ],
    [
      "two namespaces",
      "status storage/agent -n x",
      '"storage/agent" is in namespace "storage", and --namespace says "x"',
    ],
  ])("%s is told on standard error, with exit code 2", async (_, line, message) => {
    const { code, out, err } = await play(`${line} --from all.yaml`, files);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(message)]);
  });

  test("helps, with examples", async () => {
    expect((await play("status --help")).out).toContain("Examples:\n  farrier status");
  });
});
