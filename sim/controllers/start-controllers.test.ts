// One call is one process: what it may be told, what is left of it when it ends, and that chance is all that orders its work.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { textAt, valueAtPath } from "../api-server/api-object.ts";
import { createApiServer } from "../api-server/api-server.ts";
import { seededRand } from "../seeded-rand.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { DAEMON_SETS, PODS } from "./api-resources.ts";
import { controllerNames, startControllers } from "./start-controllers.ts";
import { aDaemonSet, aPod, aWorld } from "./testing/controllers-fixture.ts";

test("all controllers run when none is named", () => {
  expect(controllerNames).toEqual([
    ...["daemon-set", "garbage-collector", "job", "namespace", "node-lifecycle", "pod-gc", "scheduler"],
    "service-account",
  ]);
});

/** The order in which pods are bound, and where to. */
async function bindings(seed: number): Promise<readonly string[]> {
  const pace = { scheduler: { minMs: 0, maxMs: 1_000 } };
  const world = await aWorld(["scheduler"], { pace, rand: seededRand(seed) });
  for (const name of ["a", "b", "c"]) await world.node(name);
  const bound: string[] = [];
  world.server.onCommit(({ table, key, object, previous }) => {
    const nodeOf = (pod: JsonObject) => valueAtPath(pod, "spec.nodeName") ?? "";
    if (table === "pods" && nodeOf(object) !== "" && nodeOf(previous?.object ?? {}) === "")
      bound.push(`${key} ${nodeOf(object)}`);
  });
  for (let place = 0; place < 12; place++) await world.client.create(PODS, aPod(`p-${place}`));
  await world.pass(5_000);
  return bound;
}

describe("pace", () => {
  test("lets keys overtake each other, as chance decides, and the same chance decides the same", async () => {
    const one = await bindings(7);
    expect(one.length).toBe(12);
    expect(await bindings(7)).toEqual(one);
    const other = await bindings(8);
    expect(other).not.toEqual(one);
    const podsOf = (bound: readonly string[]) => bound.map((each) => each.split(" ")[0]).sort();
    expect(podsOf(other)).toEqual(podsOf(one));
  });

  test("delays the work of the controller that has it, and of no other", async () => {
    const pace = { "daemon-set": { minMs: 5_000, maxMs: 5_000 } };
    const world = await aWorld(["daemon-set", "scheduler"], { pace });
    await world.node("a");
    await world.client.create(PODS, aPod("p"));
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(4_000);
    expect(
      (await world.pods()).map(({ metadata, spec = {} }) => `${metadata.name} ${textAt(spec, "nodeName")}`),
    ).toEqual(["p a"]);
    await world.pass(3_000);
    expect((await world.pods()).length).toBe(2);
  });
});

describe("events", () => {
  const said = async (options: { readonly tellsEvents?: boolean }) => {
    const world = await aWorld(["daemon-set", "scheduler"], options);
    await world.node("a");
    await world.client.create(PODS, aPod("p", { nodeSelector: { there: "is-none" } }));
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(5_000);
    const events = { group: "", version: "v1", plural: "events", kind: "Event", namespaced: true };
    return (await world.list(events)).map((event) => JSON.stringify(event));
  };

  test("tell what was made, where it runs and what finds no place", async () => {
    const events = (await said({ tellsEvents: true })).join("\n");
    for (const reason of ["SuccessfulCreate", "Scheduled", "FailedScheduling"]) expect(events).toContain(`"${reason}"`);
    expect(events).toContain('"Created pod: agent-');
    expect(events).toContain('"component":"daemonset-controller"');
  });

  test("are not written unless somebody asks for them", async () => {
    expect(await said({})).toEqual([]);
  });
});

describe("stop", () => {
  test("is a crash: nothing is sent afterwards, whatever was going on", async () => {
    for (const crashAtMs of [0, 1, 50, 150, 2_000]) {
      const clock = new VirtualClock();
      const server = createApiServer({ clock, rand: seededRand(1) });
      let sent = 0;
      const counting = counted(server.transport(), () => {
        sent += 1;
      });
      const running = startControllers({ transport: counting, clock, rand: seededRand(2) });
      await clock.elapse(crashAtMs);
      const stopped = running.stop();
      const sentBefore = sent;
      await clock.elapse(120_000);
      await stopped;
      expect(sent).toBe(sentBefore);
    }
  });

  test("before the first list makes ready reject", async () => {
    const clock = new VirtualClock();
    const server = createApiServer({ clock, rand: seededRand(1) });
    const running = startControllers({ transport: server.transport(), clock, rand: seededRand(2) });
    const stopped = running.stop();
    await clock.elapse(1_000);
    await stopped;
    await expect(running.ready).rejects.toThrow("the controllers are stopped");
  });

  test("leaves no timer behind", async () => {
    const clock = new VirtualClock();
    const server = createApiServer({ clock, rand: seededRand(1) });
    const timersBefore = clock.timerCount;
    const running = startControllers({ transport: server.transport(), clock, rand: seededRand(2) });
    await clock.elapse(5_000);
    const stopped = running.stop();
    await clock.elapse(700_000);
    await stopped;
    expect(clock.timerCount).toBe(timersBefore);
  });
});

function counted(transport: Transport, count: () => void): Transport {
  return {
    request: (request) => {
      count();
      return transport.request(request);
    },
    stream: (request) => {
      count();
      return transport.stream(request);
    },
  };
}
