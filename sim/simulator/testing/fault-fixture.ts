// A world in which nothing happens by itself, for the tests of faults: each is struck by hand, and what it chooses is given.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { expandFleet } from "../../fleets/expand-fleet.ts";
import { readFleet } from "../../fleets/read-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import type { WeatheredRegistry } from "../network/weathered-registry.ts";
import type { Scenario, WorldFault } from "../scenario.ts";
import { createWorld, type World } from "../world.ts";

const builtIn = builtInKinds();
const empty: Scenario = {
  ...{ name: "empty", about: "", faultsMs: 0, settleMs: 0, quietMs: 0, faults: [], worldFaults: [] },
  ...{ invariants: () => [], requestRules: [], isNoise: () => false, unsettled: () => undefined },
  setUp: async () => undefined,
};
export const core = { group: "", version: "v1" };
export const pods: Resource<KubeObject & { readonly spec: object }> = {
  ...{ ...core, plural: "pods", kind: "Pod", namespaced: true },
};

/** A world in which nothing happens by itself; what a fault chooses comes from here, zero beyond it. */
export function aWorld(chooses: Readonly<Record<string, readonly number[]>> = {}): World {
  const streams = new Map(
    Object.entries(chooses).map(([name, values]) => [`${name}-how`, values.map((value, at) => ({ at, value }))]),
  );
  return createWorld({ scenario: empty, source: { tape: { scenario: "empty", seed: 1, streams } }, builtIn });
}

/** Lets a fault strike, and what it sends arrive. */
export async function struck(world: World, fault: WorldFault): Promise<string | undefined> {
  const said = fault.strike(world, world.faults.fault(fault.name));
  await world.clock.elapse(1);
  return said;
}

export async function withPod(world: World, metadata: object = {}): Promise<World> {
  await world.client("user").create(pods, {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "p", namespace: "default", labels: { app: "a" }, ...metadata },
    spec: { nodeName: "node-1", containers: [{ name: "main", image: "tool:1" }] },
  });
  return world;
}

/** The pod, if it is there. */
export const podIn = (world: World): JsonObject => world.state.object("pods", "default/p") ?? {};

/** A world with the machines of a small fleet. */
export async function withFleet(world: World, registry?: WeatheredRegistry) {
  let nodes: Nodes | undefined;
  world.host("nodes", (ports) => {
    nodes = startNodes({
      ...{ ...ports, fleet: expandFleet(readFleet("small-5")) },
      ...(registry === undefined ? {} : { registry: registry.pull }),
    });
  });
  await world.clock.elapse(2_000);
  return { world, nodesOf: () => nodes };
}
