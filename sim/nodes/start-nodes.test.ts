import { afterEach, describe, expect, test } from "vitest";
import { events } from "../../src/runtime/log/event-series.ts";
import { mixedFleet } from "../fleets/mixed-fleet.ts";
import { LEASE_NAMESPACE, NODES } from "./api-shapes.ts";
import { isReady, small, Worlds } from "./testing/nodes-world.ts";

const worlds = new Worlds();
afterEach(() => worlds.stop());

describe("a fleet on the embedded API server", () => {
  test("every machine is a ready node with the kernel of its file", async () => {
    const { client } = await worlds.build();
    const { items } = await client.list(NODES);
    const told = items.map((node) => [node.metadata.name, node.status?.nodeInfo?.kernelVersion, isReady(node)]);
    expect(told.sort()).toEqual(small.map(({ name, kernel }) => [name, kernel, "True"]));
  });

  test("leases are renewed while the machine is heard, and only then", async () => {
    const world = await worlds.build();
    const first = await world.renewedAt("node-1");
    await world.clock.elapse(10_000);
    const second = await world.renewedAt("node-1");
    world.nodes.kubelets.vanish("node-1");
    await world.clock.elapse(60_000);
    const third = await world.renewedAt("node-1");
    world.nodes.kubelets.comeBack("node-1");
    await world.clock.elapse(1_000);
    expect([first !== second, second === third, third !== (await world.renewedAt("node-1"))]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("an idle fleet writes one lease per node and heartbeat, and nothing else", async () => {
    const world = await worlds.build({ heartbeat: { everyMs: 10_000, graceSeconds: 40 } });
    world.trace.splice(0);
    await world.clock.elapse(100_000);
    expect(world.trace.every((line) => line.includes(LEASE_NAMESPACE))).toBe(true);
    expect(world.trace.length).toBeGreaterThanOrEqual(5 * 10);
    expect(world.trace.length).toBeLessThan(5 * 14);
  });

  test("a fleet that joins at once renews its leases at a steady pace, from the beginning", async () => {
    const heartbeat = { everyMs: 40_000, graceSeconds: 160 };
    const world = await worlds.build({ fleet: mixedFleet({ count: 100 }), heartbeat });
    const renewed: number[] = [];
    for (const _ of Array.from({ length: 8 })) {
      world.trace.splice(0);
      await world.clock.elapse(10_000);
      renewed.push(world.trace.length);
    }
    expect(Math.min(...renewed)).toBeGreaterThan(15);
    expect(Math.max(...renewed)).toBeLessThan(45);
  });

  test("a workload on a hundred nodes is told of when it runs, pod by pod", async () => {
    const world = await worlds.build({ fleet: mixedFleet({ count: 100 }), tellsEvents: true });
    for (const { name } of mixedFleet({ count: 100 })) await world.bind(`pod-of-${name}`, name);
    await world.clock.elapse(2_000);
    const { items } = await world.during(world.client.list(events, { namespace: "default" }));
    const started = items.filter(({ reason }) => reason === "Started").map(({ involvedObject }) => involvedObject.name);
    expect(new Set(started).size).toBe(100);
  });

  test("the same seed gives the same writes at the same instants", async () => {
    const run = async () => {
      const world = await worlds.build();
      await world.bind("a", "node-1");
      world.nodes.kubelets.reboot("node-1", { downMs: 3_000 });
      await world.clock.elapse(60_000);
      return world.trace;
    };
    const first = await run();
    expect(first.length).toBeGreaterThan(20);
    expect(await run()).toEqual(first);
  });
});

describe("a kubelet's own view", () => {
  const slow = (link: { readonly hearsAfterMs: number; readonly tellsAfterMs: number }) => ({
    linkOf: (node: string) => (node === "node-1" ? link : { hearsAfterMs: 0, tellsAfterMs: 0 }),
  });

  test.each([
    ["hears", { hearsAfterMs: 5_000, tellsAfterMs: 0 }],
    ["tells", { hearsAfterMs: 0, tellsAfterMs: 5_000 }],
  ])("one that %s late runs its pods late; its neighbour does not wait for it", async (_, link) => {
    const world = await worlds.build(slow(link));
    await world.bind("late", "node-1");
    await world.bind("prompt", "node-2");
    await world.clock.elapse(4_500);
    expect([await world.phase("late"), await world.phase("prompt")]).toEqual(["Pending", "Running"]);
    await world.clock.elapse(1_000);
    expect(await world.phase("late")).toBe("Running");
  });

  test("one that hears late goes by the labels that its node had", async () => {
    const world = await worlds.build(slow({ hearsAfterMs: 5_000, tellsAfterMs: 0 }));
    const body = { metadata: { labels: { disk: "large" } } };
    await world.during(world.client.patch(NODES, "node-1", { type: "merge", body }));
    await world.clock.elapse(2_000);
    await world.bind("lucky", "node-1", { nodeSelector: { disk: "large" } });
    // The labels are heard before the pod, as they were written before it.
    await world.clock.elapse(6_000);
    expect(await world.phase("lucky")).toBe("Running");
    const none = { metadata: { labels: { disk: null } } };
    await world.during(world.client.patch(NODES, "node-1", { type: "merge", body: none }));
    await world.clock.elapse(4_000);
    world.nodes.kubelets.reboot("node-1");
    await world.clock.elapse(500);
    expect(await world.phase("lucky")).toBe("Running");
    await world.clock.elapse(1_000);
    world.nodes.kubelets.reboot("node-1");
    await world.clock.elapse(1_000);
    expect(await world.pod("lucky")).toMatchObject({ status: { phase: "Failed", reason: "NodeAffinity" } });
  });
});
