import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiPod } from "../api-shapes.ts";
import { rebooted, returned, settled, vanished } from "../machine.ts";
import { aPod, PodWorld } from "../testing/kubelet-fixtures.ts";
import { imageId } from "./pod-status.ts";

type Event =
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "image"; readonly tag: number }
  | { readonly do: "fail" }
  | { readonly do: "mend" }
  | { readonly do: "reboot"; readonly downMs: number }
  | { readonly do: "vanish" }
  | { readonly do: "return" }
  | { readonly do: "forget" }
  | { readonly do: "delete"; readonly graceSeconds: number };

const milliseconds = fc.integer({ min: 0, max: 20_000 });
const harmless: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ do: fc.constant("pass" as const), ms: milliseconds }),
  fc.record({ do: fc.constant("image" as const), tag: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    do: fc.constantFrom("fail" as const, "mend" as const, "vanish" as const, "return" as const, "forget" as const),
  }),
  fc.record({ do: fc.constant("reboot" as const), downMs: milliseconds }),
);
const deletion: fc.Arbitrary<Event> = fc.record({
  do: fc.constant("delete" as const),
  graceSeconds: fc.integer({ min: 0, max: 10 }),
});

function withTag(tag: number): (pod: ApiPod) => ApiPod {
  return (pod) => ({ ...pod, spec: { ...pod.spec, containers: [{ name: "main", image: `agent:v${tag}` }] } });
}

function happen(world: PodWorld, event: Event): void {
  if (world.pod === undefined) return;
  switch (event.do) {
    case "pass":
      world.nowMs += event.ms;
      break;
    case "image":
      world.edit(withTag(event.tag));
      break;
    case "fail":
      world.overruled = { fail: "pull" };
      break;
    case "mend":
      world.overruled = {};
      break;
    case "reboot": {
      const bootId = `${world.machine.bootId}+`;
      world.machine = rebooted(world.machine, { bootId, untilMs: world.nowMs + event.downMs });
      break;
    }
    case "vanish":
      world.machine = vanished(world.machine);
      break;
    case "return":
      world.machine = returned(world.machine);
      break;
    case "forget":
      world.run = undefined;
      break;
    case "delete":
      world.delete(event.graceSeconds);
      break;
  }
  world.machine = settled(world.machine, world.nowMs);
  world.pass(0);
}

/** Everything heals, and enough time passes for any grace period and any pause after a crash. */
function heal(world: PodWorld): void {
  world.overruled = {};
  world.machine = returned(world.machine);
  world.pass(120_000);
}

test("whatever happens, deciding twice from the same picture writes nothing the second time", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(harmless, deletion)), (events) => {
      const world = new PodWorld(aPod());
      for (const event of events) {
        happen(world, event);
        const { writes, pod } = world;
        world.pass(0);
        expect([world.writes, world.pod]).toEqual([writes, pod]);
      }
    }),
  );
});

test("once everything is well again, the pod runs the image it asks for and is ready", () => {
  fc.assert(
    fc.property(fc.array(harmless), (events) => {
      const world = new PodWorld(aPod());
      for (const event of events) happen(world, event);
      heal(world);
      const image = world.pod?.spec.containers[0]?.image ?? "";
      expect(world.status.phase).toBe("Running");
      expect(world.condition("Ready")).toBe("True");
      expect(world.status.containerStatuses?.[0]).toMatchObject({ image, imageID: imageId(image), ready: true });
    }),
  );
});

test("a pod that was deleted is gone once its machine is well, and its end is told at grace zero", () => {
  fc.assert(
    fc.property(fc.array(harmless), deletion, fc.array(harmless), (before, end, after) => {
      const world = new PodWorld(aPod());
      for (const event of [...before, end, ...after]) happen(world, event);
      heal(world);
      const isConfirmed = end.do === "delete" && end.graceSeconds === 0;
      // At grace zero the API has confirmed the deletion already: only a finalizer can still hold the pod.
      if (isConfirmed) expect(world.status.phase).toMatch(/Succeeded|Failed/);
      else expect(world.pod).toBeUndefined();
    }),
  );
});

test("restarts never go back, and a running container's start never changes by itself", () => {
  fc.assert(
    fc.property(fc.array(harmless), milliseconds, (events, ms) => {
      const world = new PodWorld(aPod());
      let restarts = 0;
      for (const event of events) {
        happen(world, event);
        const now = world.status.containerStatuses?.[0]?.restartCount ?? 0;
        expect(now).toBeGreaterThanOrEqual(restarts);
        restarts = now;
      }
      heal(world);
      const state = world.status.containerStatuses?.[0]?.state;
      world.pass(ms);
      expect(world.status.containerStatuses?.[0]?.state).toEqual(state);
    }),
  );
});
