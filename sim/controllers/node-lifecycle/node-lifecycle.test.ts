// Nodes that fall silent, come back or are gone, and what becomes of their pods; in virtual time over the embedded API server.
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, textAt } from "../../api-server/api-object.ts";
import { NODES, PODS } from "../api-resources.ts";
import { aPod, aWorld, conditionOf, type World } from "../testing/controllers-fixture.ts";

const taintsOf = async (world: World, name: string) =>
  listAt((await world.get(NODES, name))?.spec ?? {}, "taints")
    .filter(isJsonObject)
    .map(({ key, effect }) => `${String(key).replace("node.kubernetes.io/", "")}:${effect}`)
    .sort();

const onN = { nodeName: "n" };
const names = ["node-lifecycle", "pod-gc", "scheduler"] as const;

describe("a node", () => {
  test("loses the taint of new nodes once it is ready, and has others as its conditions say", async () => {
    const world = await aWorld(names);
    await world.client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    const conditions = [
      { type: "Ready", status: "False" },
      { type: "DiskPressure", status: "True" },
    ];
    await world.patch(NODES, "n", { spec: { unschedulable: true } });
    await world.patch(NODES, "n", { status: { conditions } }, "status");
    await world.pass(1_000);
    expect(await taintsOf(world, "n")).toEqual([
      ...["disk-pressure:NoSchedule", "not-ready:NoExecute", "not-ready:NoSchedule", "unschedulable:NoSchedule"],
    ]);
    await world.patch(NODES, "n", { spec: { unschedulable: false } });
    await world.patch(NODES, "n", { status: { conditions: [{ type: "Ready", status: "True" }] } }, "status");
    await world.pass(1_000);
    expect(await taintsOf(world, "n")).toEqual([]);
  });

  test("keeps the taints that others gave it", async () => {
    const world = await aWorld(names);
    await world.node("n", { taints: [{ key: "gpu", value: "yes", effect: "NoExecute" }] });
    await world.patch(NODES, "n", { status: { conditions: [{ type: "Ready", status: "False" }] } }, "status");
    await world.pass(1_000);
    expect(await taintsOf(world, "n")).toEqual(["gpu:NoExecute", "not-ready:NoExecute", "not-ready:NoSchedule"]);
  });

  test("that falls silent becomes Unknown after its grace and its pods unready; they leave when their patience ends", async () => {
    const world = await aWorld(names, { nodeGraceSeconds: 20 });
    await world.node("n");
    await world.client.create(PODS, aPod("usual", onN));
    const forEver = { tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists" }] };
    await world.client.create(PODS, aPod("stays", { ...onN, ...forEver }));
    await world.pass(15_000);
    expect(conditionOf(await world.get(NODES, "n"), "Ready")?.status).toBe("True");
    await world.pass(10_000);
    expect(conditionOf(await world.get(NODES, "n"), "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
    });
    expect(await taintsOf(world, "n")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
    expect(conditionOf(await world.get(PODS, "default/usual"), "Ready")?.status).toBe("False");
    await world.pass(290_000);
    expect((await world.pods()).length).toBe(2);
    await world.pass(30_000);
    expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual(["stays"]);
  });

  test("is heard by its lease alone", async () => {
    const world = await aWorld(names, { nodeGraceSeconds: 20 });
    await world.node("n");
    const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true };
    const metadata = { name: "n", namespace: "kube-node-lease" };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity: "n" } };
    await world.client.create(leases, lease);
    for (let beat = 0; beat < 6; beat++) {
      await world.patch(leases, "kube-node-lease/n", { spec: { leaseTransitions: beat } });
      await world.pass(10_000);
    }
    expect(await taintsOf(world, "n")).toEqual([]);
    await world.pass(15_000);
    expect(await taintsOf(world, "n")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
  });

  test("is heard by the heartbeats in its status alone", async () => {
    const world = await aWorld(names, { nodeGraceSeconds: 20 });
    await world.node("n");
    for (let beat = 0; beat < 6; beat++) {
      const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: `2026-01-01T00:0${beat}:00Z` }];
      await world.patch(NODES, "n", { status: { conditions } }, "status");
      await world.pass(10_000);
    }
    expect(await taintsOf(world, "n")).toEqual([]);
  });

  test("keeps a taint that somebody sets while the picture is old", async () => {
    const world = await aWorld(names, { lagMs: 3_000 });
    await world.node("n");
    await world.pass(5_000);
    await world.patch(NODES, "n", { status: { conditions: [{ type: "Ready", status: "False" }] } }, "status");
    await world.pass(2_000);
    await world.patch(NODES, "n", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } });
    const isKept: boolean[] = [];
    world.server.onCommit(({ table, object }) => {
      if (table === "nodes") isKept.push(JSON.stringify(object.spec).includes("gpu"));
    });
    await world.pass(20_000);
    expect(await taintsOf(world, "n")).toEqual(["gpu:NoSchedule", "not-ready:NoExecute", "not-ready:NoSchedule"]);
    expect(isKept).not.toContain(false);
  });

  test("with a NoExecute taint that names no time evicts by the time it was first seen", async () => {
    const world = await aWorld(names);
    await world.node("n", { taints: [{ key: "gone", effect: "NoExecute" }] });
    await world.pass(1_000);
    const patient = { key: "gone", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 };
    await world.client.create(PODS, aPod("p", { ...onN, tolerations: [patient] }));
    await world.pass(20_000);
    await world.patch(NODES, "n", { metadata: { labels: { touched: "yes" } } });
    expect((await world.pods()).length).toBe(1);
    await world.pass(15_000);
    expect(await world.pods()).toEqual([]);
  });

  test("that gets a NoExecute taint loses the pods that do not tolerate it, with the reason in their status", async () => {
    const world = await aWorld(names);
    await world.node("n");
    await world.client.create(PODS, aPod("a", onN));
    await world.client.create(PODS, aPod("b", { ...onN, tolerations: [{ key: "gone", operator: "Exists" }] }));
    await world.pass(1_000);
    const seen: string[] = [];
    world.server.onCommit(({ table, key, object }) => {
      if (table === "pods")
        seen.push(
          `${key} ${textAt(conditionOf({ status: objectStatus(object) }, "DisruptionTarget") ?? {}, "reason")}`,
        );
    });
    await world.patch(NODES, "n", { spec: { taints: [{ key: "gone", effect: "NoExecute" }] } });
    await world.pass(2_000);
    expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(seen[0]).toBe("default/a DeletionByTaintManager");
  });

  test("with a NoExecute taint sends away who comes without a toleration", async () => {
    const world = await aWorld(names);
    await world.node("n", { taints: [{ key: "gone", effect: "NoExecute" }] });
    await world.pass(1_000);
    await world.client.create(PODS, aPod("p", onN));
    await world.pass(2_000);
    expect(await world.pods()).toEqual([]);
  });

  test("that is gone takes its pods with it, after a quarantine", async () => {
    const world = await aWorld(names);
    await world.node("n");
    await world.client.create(PODS, aPod("a", onN));
    world.fates.set("v1", "hangs");
    await world.pass(1_000);
    const phases: string[] = [];
    world.server.onCommit(({ table, object }) => {
      if (table === "pods") phases.push(textAt(objectStatus(object), "phase"));
    });
    await world.client.remove(NODES, "n");
    await world.pass(35_000);
    expect((await world.pods()).length).toBe(1);
    await world.pass(10_000);
    expect(await world.pods()).toEqual([]);
    expect(phases[0]).toBe("Failed");
  });

  test("that comes back within the quarantine keeps its pods", async () => {
    const world = await aWorld(names);
    await world.node("n");
    await world.client.create(PODS, aPod("a", onN));
    await world.pass(1_000);
    await world.client.remove(NODES, "n");
    await world.pass(20_000);
    await world.node("n");
    await world.pass(60_000);
    expect((await world.pods()).length).toBe(1);
  });

  test("that is there although the picture does not show it keeps its pods", async () => {
    const world = await aWorld(["pod-gc"], { lagMs: 60_000 });
    await world.node("n");
    await world.client.create(PODS, aPod("a", onN));
    await world.pass(62_000);
    await world.client.remove(NODES, "n");
    await world.pass(50_000);
    await world.node("n");
    // The collector sees the node go after 60 s and come back 50 s later, ten seconds after its quarantine.
    await world.pass(120_000);
    expect((await world.pods()).length).toBe(1);
  });
});

function objectStatus(object: JsonObject): JsonObject {
  return isJsonObject(object.status) ? object.status : {};
}
