import { afterEach, describe, expect, test } from "vitest";
import { namedKey } from "../../src/kube/resource.ts";
import { NODES, PODS } from "./api-shapes.ts";
import { isReady, NodesWorld, small, Worlds } from "./testing/nodes-world.ts";

const worlds = new Worlds();
afterEach(() => worlds.stop());

describe("machines come and go", () => {
  test("a reboot into another kernel gives another boot ID and restarts the pods", async () => {
    const world = await worlds.build();
    await world.bind("agent", "node-1");
    await world.clock.elapse(1_000);
    const before = (await world.node("node-1"))?.status?.nodeInfo;
    world.nodes.kubelets.reboot("node-1", { kernel: "6.12.0-next", downMs: 5_000 });
    await world.clock.elapse(10_000);
    const after = (await world.node("node-1"))?.status?.nodeInfo;
    expect([after?.kernelVersion, after?.bootID === before?.bootID]).toEqual(["6.12.0-next", false]);
    const [container] = (await world.pod("agent"))?.status?.containerStatuses ?? [];
    expect([container?.restartCount, container?.ready]).toEqual([1, true]);
  });

  test("kubelets that are started again find their machines and containers as they were", async () => {
    const world = await worlds.build();
    await world.bind("agent", "node-1");
    await world.clock.elapse(1_000);
    world.nodes.kubelets.reboot("node-1", { kernel: "6.12.0-next" });
    await world.clock.elapse(1_000);
    const before = await world.node("node-1");
    await world.during(world.nodes.stop());
    const again = world.start();
    await world.clock.elapse(5_000);
    await again.ready;
    const after = await world.node("node-1");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.status?.nodeInfo).toMatchObject({
      ...{ bootID: before?.status?.nodeInfo?.bootID, kernelVersion: "6.12.0-next" },
    });
    expect((await world.pod("agent"))?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
    await again.stop();
  });

  test("after a crash nothing more is written, not even what was under way", async () => {
    const world = await worlds.build({ linkOf: () => ({ hearsAfterMs: 0, tellsAfterMs: 1_000 }) });
    await world.bind("agent", "node-1");
    await world.clock.elapse(500);
    const stopped = world.nodes.stop();
    const before = world.server.revision();
    await world.clock.elapse(60_000);
    await stopped;
    await expect(world.nodes.kubelets.leave("node-1")).rejects.toThrow("the nodes are stopped");
    expect(world.server.revision()).toBe(before);
  });

  test.each([0, 1, 2, 3, 5, 8, 13, 21])(
    "stopped after %i turns of the start, they leave no timer behind",
    async (turns) => {
      const world = new NodesWorld();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const stopped = world.nodes.stop();
      await world.clock.elapse(120_000);
      await stopped;
      expect(world.clock.timerCount).toBe(0);
      await expect(world.nodes.ready).rejects.toThrow();
    },
  );

  test("a machine that leaves and joins again is another node, and nothing runs on it any more", async () => {
    const world = await worlds.build();
    await world.bind("agent", "node-1");
    await world.clock.elapse(2_000);
    const before = await world.node("node-1");
    await world.during(world.nodes.kubelets.leave("node-1"));
    expect(await world.node("node-1")).toBeUndefined();
    await world.clock.elapse(2_000);
    const joined = world.nodes.kubelets.join(small.filter(({ name }) => name === "node-1"));
    await world.clock.elapse(5_000);
    await joined;
    const after = await world.node("node-1");
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.status?.nodeInfo?.bootID).not.toBe(before?.status?.nodeInfo?.bootID);
    expect((await world.pod("agent"))?.status?.containerStatuses?.[0]).toMatchObject({
      ...{ restartCount: 1, ready: true },
      lastState: { terminated: { exitCode: 255 } },
    });
  });

  test("a wall clock that is set back moves no start and no reboot", async () => {
    const hourAgo = -3_600_000;
    const world = await worlds.build();
    const kernel = async () => (await world.node("node-1"))?.status?.nodeInfo?.kernelVersion;
    await world.bind("agent", "node-1");
    await world.clock.elapse(100);
    world.clock.jumpWall(hourAgo);
    await world.bind("next", "node-1");
    await world.clock.elapse(50);
    expect([await world.phase("agent"), await world.phase("next")]).toEqual(["Pending", "Pending"]);
    await world.clock.elapse(500);
    expect([await world.phase("agent"), await world.phase("next")]).toEqual(["Running", "Running"]);
    world.nodes.kubelets.reboot("node-1", { kernel: "6.12.0-next", downMs: 5_000 });
    world.clock.jumpWall(hourAgo);
    await world.clock.elapse(4_000);
    expect(await kernel()).not.toBe("6.12.0-next");
    await world.clock.elapse(2_000);
    expect(await kernel()).toBe("6.12.0-next");
  });

  test("a node that somebody deletes stays away until its machine reboots", async () => {
    const world = await worlds.build();
    await world.during(world.client.remove(NODES, "node-1"));
    await world.clock.elapse(60_000);
    expect(await world.node("node-1")).toBeUndefined();
    world.nodes.kubelets.reboot("node-1");
    await world.clock.elapse(1_000);
    expect(isReady(await world.node("node-1"))).toBe("True");
  });

  test("a node that was deleted while its machine was away stays away, and nobody complains", async () => {
    const world = await worlds.build();
    world.nodes.kubelets.vanish("node-1");
    await world.during(world.client.remove(NODES, "node-1"));
    await world.clock.elapse(10_000);
    world.nodes.kubelets.comeBack("node-1");
    await world.clock.elapse(60_000);
    expect(await world.node("node-1")).toBeUndefined();
    expect(world.complaints).toEqual([]);
  });

  test("a node that somebody makes anew is told about by its kubelet", async () => {
    const world = await worlds.build();
    await world.during(world.client.remove(NODES, "node-1"));
    await world.clock.elapse(1_000);
    const bare = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
    await world.during(world.client.create(NODES, bare));
    await world.clock.elapse(1_000);
    expect(isReady(await world.node("node-1"))).toBe("True");
  });

  test("a machine takes as many pods as it has room for", async () => {
    const fleet = small.slice(0, 1).map((spec) => ({ ...spec, capacity: { pods: "2" } }));
    const world = await worlds.build({ fleet });
    for (const name of ["a", "b", "c"]) await world.bind(name, "node-1");
    await world.clock.elapse(1_000);
    const phases = [await world.phase("a"), await world.phase("b"), (await world.pod("c"))?.status];
    expect(phases).toMatchObject(["Running", "Running", { phase: "Failed", reason: "OutOfpods" }]);
    // One that is gone makes room, and so does one that is only over.
    await world.during(world.client.remove(PODS, namedKey("a", "default")));
    await world.clock.elapse(1_000);
    await world.bind("task", "node-1", { restartPolicy: "Never" });
    await world.clock.elapse(1_000);
    expect(await world.phase("task")).toBe("Succeeded");
    await world.bind("d", "node-1");
    await world.clock.elapse(1_000);
    expect(await world.phase("d")).toBe("Running");
  });

  test("a full machine that reboots takes its own pods again", async () => {
    const fleet = small.slice(0, 1).map((spec) => ({ ...spec, capacity: { pods: "2" } }));
    const world = await worlds.build({ fleet });
    for (const name of ["a", "b"]) await world.bind(name, "node-1");
    await world.clock.elapse(1_000);
    world.nodes.kubelets.reboot("node-1");
    await world.clock.elapse(2_000);
    expect([await world.phase("a"), await world.phase("b")]).toEqual(["Running", "Running"]);
  });

  test("an image that is missing is pulled once the registry has it", async () => {
    const missing = new Set(["tool:v1"]);
    const registry = (image: string) =>
      missing.has(image) ? ({ is: "missing" } as const) : ({ is: "there", pullMs: 2_000 } as const);
    const world = await worlds.build({ registry });
    await world.bind("tool", "node-2");
    await world.clock.elapse(20_000);
    expect((await world.pod("tool"))?.status?.containerStatuses?.[0]?.state).toMatchObject({
      waiting: { reason: "ImagePullBackOff" },
    });
    missing.clear();
    await world.clock.elapse(60_000);
    expect(await world.phase("tool")).toBe("Running");
  });
});
