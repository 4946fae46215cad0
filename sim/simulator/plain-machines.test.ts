// What plain machines do for pods: make them ready, end them, and clear away those whose node is gone.
import { expect, test } from "vitest";
import { isReadyPod, startPlainMachines } from "./plain-machines.ts";
import { aWorld, core, podIn, pods, withPod } from "./testing/fault-fixture.ts";
import type { World } from "./world.ts";

const nodes = { ...core, plural: "nodes", kind: "Node", namespaced: false };
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };

/** A world with one node, one pod on it, and machines that have had their time. */
async function running(): Promise<World> {
  const world = aWorld();
  world.host("machines", (ports) => startPlainMachines(ports, world));
  await world.client("user").create(nodes, node);
  await withPod(world);
  await world.clock.elapse(100);
  return world;
}

const isThere = (world: World) => world.state.object("pods", "default/p") !== undefined;

test("a pod on a node becomes ready", async () => {
  expect(isReadyPod(podIn(await running()))).toBe(true);
});

test("a pod that is deleted ends, and one that has failed is left alone", async () => {
  const world = await running();
  const body = { status: { phase: "Failed", conditions: [] } };
  await world.client("user").patch(pods, "default/p", { type: "merge", body }, { subresource: "status" });
  await world.clock.elapse(30_000);
  expect(podIn(world)).toMatchObject({ status: { phase: "Failed" } });
  await world.client("user").remove(pods, "default/p");
  await world.clock.elapse(100);
  expect(isThere(world)).toBe(false);
});

test("a pod whose node is gone stays for ten seconds, and for good if the node is back by then", async () => {
  const [gone, back] = [await running(), await running()];
  for (const world of [gone, back]) await world.client("user").remove(nodes, "node-1");
  for (const world of [gone, back]) await world.clock.elapse(5_000);
  expect([isThere(gone), isThere(back)]).toEqual([true, true]);
  await back.client("user").create(nodes, node);
  for (const world of [gone, back]) await world.clock.elapse(10_000);
  expect([isThere(gone), isThere(back)]).toEqual([false, true]);
});

test("a request that is lost is sent again", async () => {
  const world = aWorld();
  let sent = 0;
  world.host("machines", (ports) => {
    const lost = async () => {
      sent += 1;
      throw new Error("lost");
    };
    const transport = { ...ports.transport, request: lost };
    startPlainMachines({ ...ports, transport }, world);
  });
  await world.client("user").create(nodes, node);
  await withPod(world);
  await world.clock.elapse(10_000);
  expect(sent).toBeGreaterThan(2);
});
