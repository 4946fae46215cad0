// What befalls a registry, and what kubelets make of it.
import { describe, expect, test } from "vitest";
import { objectAt } from "../../api-server/api-object.ts";
import { WeatheredRegistry } from "../network/weathered-registry.ts";
import { aWorld, podIn, struck, withFleet, withPod } from "../testing/fault-fixture.ts";
import type { World } from "../world.ts";
import { registryFaults } from "./registry-faults.ts";

/** Asks for a manifest and lets time pass until there is an answer. */
async function manifest(world: World, registry: WeatheredRegistry) {
  const url = "https://example.dev/v2/tool/manifests/1";
  const asked = registry.asTransport.request({
    ...{ method: "HEAD", url, headers: {}, reach: "site", checksCertificate: true, answerBytesMax: 1_000 },
    signal: new AbortController().signal,
  });
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  asked.then(end, end);
  while (!isOver) await world.clock.elapse(20);
  return asked;
}

describe("a registry", () => {
  const faultNamed = (registry: WeatheredRegistry, name: string) => {
    const fault = registryFaults(() => registry).find((one) => one.name === name);
    if (fault === undefined) throw new Error(`no fault "${name}"`);
    return fault;
  };

  test.each([
    ["registry-loses-image", "missing"],
    ["registry-unreachable", "unreachable"],
    ["registry-denies", "denied"],
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

  test.each([
    ["registry-loses-image", 404],
    ["registry-denies", 401],
    ["registry-unreachable", undefined],
  ])("with %s answers %s to who asks for a manifest", async (name, status) => {
    const world = aWorld();
    const registry = new WeatheredRegistry(world.clock);
    registry.stateOf("example.dev/tool:1");
    await struck(world, faultNamed(registry, name));
    expect((await manifest(world, registry).catch(() => undefined))?.status).toBe(status);
    await world.clock.elapse(1_000);
    expect((await manifest(world, registry)).status).toBe(200);
  });

  test("that moves a tag gives another digest for the same name, and the same one until then", async () => {
    const world = aWorld();
    const registry = new WeatheredRegistry(world.clock);
    const digest = async () => (await manifest(world, registry)).headers["docker-content-digest"];
    const before = await digest();
    expect([before, await digest()]).toEqual([registry.digestOf("example.dev/tool:1"), before]);
    await struck(world, faultNamed(registry, "registry-moves-tag"));
    expect(await digest()).not.toBe(before);
  });

  test("that is slow answers later than a prober waits, and lets kubelets wait for an image", async () => {
    const world = aWorld();
    const registry = new WeatheredRegistry(world.clock);
    await struck(world, faultNamed(registry, "registry-slow"));
    const started = world.clock.monotonicMs();
    await manifest(world, registry);
    expect(world.clock.monotonicMs() - started).toBeGreaterThan(15_000);
    await struck(world, faultNamed(registry, "registry-slow"));
    expect(registry.pull("example.dev/tool:1")).toEqual({ is: "there", pullMs: 17_000 });
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
