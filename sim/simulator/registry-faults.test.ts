// What befalls a registry, and what kubelets make of it.
import { describe, expect, test } from "vitest";
import { objectAt } from "../api-server/api-object.ts";
import { aWorld, podIn, struck, withFleet, withPod } from "./fault-fixture.ts";
import { registryFaults, WeatheredRegistry } from "./registry-faults.ts";

describe("a registry", () => {
  const faultNamed = (registry: WeatheredRegistry, name: string) => {
    const fault = registryFaults(() => registry).find((one) => one.name === name);
    if (fault === undefined) throw new Error(`no fault "${name}"`);
    return fault;
  };

  test.each([
    ["registry-loses-image", "missing"],
    ["registry-unreachable", "unreachable"],
  ])("with %s says %s for a while", async (name, meanwhile) => {
    const world = aWorld();
    const registry = new WeatheredRegistry(world.clock);
    expect(registry.stateOf("tool:1")).toBe("there");
    await struck(world, faultNamed(registry, name));
    expect(registry.stateOf("tool:1")).toBe(meanwhile);
    await world.clock.elapse(1_000);
    expect(registry.stateOf("tool:1")).toBe("there");
  });

  test("that flaps changes its mind", async () => {
    const world = aWorld({ "registry-flaps": [6] });
    const registry = new WeatheredRegistry(world.clock);
    await struck(world, faultNamed(registry, "registry-flaps"));
    const seen = new Set<string>();
    for (let look = 0; look < 20; look++) {
      seen.add(registry.stateOf("tool:1"));
      await world.clock.elapse(300);
    }
    expect([...seen].sort()).toEqual(["there", "unreachable"]);
  });

  test("that has lost an image keeps pods from starting until it is back", async () => {
    const world = aWorld({ "registry-loses-image": [0, 6] });
    const registry = new WeatheredRegistry(world.clock);
    registry.stateOf("tool:1");
    await struck(world, faultNamed(registry, "registry-loses-image"));
    await withFleet(await withPod(world), registry);
    expect(objectAt(podIn(world), "status").phase).toBe("Pending");
    await world.clock.elapse(90_000);
    expect(objectAt(podIn(world), "status").phase).toBe("Running");
  });
});
