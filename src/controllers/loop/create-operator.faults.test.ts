// The operator where things go wrong: several processes at once, answers that are lost, caches that lag.
import { afterEach, describe, expect, test } from "vitest";
import { toyKind, toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { brokenConnection, type Fate, type ToyWorld, worldsFor } from "../../../sim/scenarios/operator/toy-world.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { isJsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { HttpRequest } from "../../kube/transport.ts";

const aWorld = worldsFor(afterEach);

const isWrite = ({ method }: HttpRequest) => method !== "GET";

describe("several processes", () => {
  const lease = { namespace: "default", name: "toymaker" };

  test("a standby has warm caches and writes nothing until the leader is gone", async () => {
    const world = await aWorld();
    const leader = world.operate({ lease });
    await world.clock.elapse(30_000);
    const standby = world.operate({ lease });
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    expect(standby.operator.view.snapshot.nodes).toHaveLength(5);
    expect(standby.operator.readings().leadership.isLeading).toBe(false);
    leader.kill();
    await world.setImage("a", "v2");
    await world.clock.elapse(120_000);
    expect(standby.operator.readings().leadership.isLeading).toBe(true);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
  });

  test("a leader that is asked to stop ends in good order, and the next one need not wait for the lease", async () => {
    const world = await aWorld();
    const leader = world.operate({ lease });
    await world.clock.elapse(30_000);
    const standby = world.operate({ lease });
    await world.clock.elapse(5_000);
    const ending = leader.stop();
    await world.clock.elapse(4_000);
    expect([(await ending).code, standby.operator.readings().leadership.isLeading]).toEqual([0, true]);
  });

  test("two that both believe to lead never make two pods for a node", async () => {
    const world = await aWorld();
    const twins = world.watchTwins();
    world.operate();
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(10_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(120_000);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
    expect(twins.seen).toEqual([]);
  });
});

describe("an object that changes in the middle of a pass", () => {
  const isPod = ({ method, path }: HttpRequest) => method === "POST" && path.includes("/pods");
  /** The first pod takes two seconds, so that the pass is not over when the object changes. */
  const slowFirstPod = ({ clock }: ToyWorld): Fate => {
    let isFirst = true;
    return async (request, send) => {
      if (!isPod(request) || !isFirst) return send();
      isFirst = false;
      await new Promise<void>((resolve) => void clock.after(2_000, resolve));
      return send();
    };
  };

  test("gets nothing more of what was decided before", async () => {
    const world = await aWorld();
    const made: string[] = [];
    world.server.onCommit(({ table, type, object }) => {
      const text = JSON.stringify(object);
      if (table === "pods" && type === "ADDED" && text.includes('"kind":"Toy"'))
        made.push(text.includes('"image":"v1"') ? "v1" : "v2");
    });
    world.operate({ fate: slowFirstPod(world) });
    await world.clock.elapse(5_000);
    await world.toy("a", "v1");
    await world.clock.elapse(1_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(60_000);
    expect(made.filter((image) => image === "v1")).toHaveLength(1);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
  });

  test.each<[string, string, readonly number[]]>([
    ["is told nothing of it in its status before the next look", "v2", [2]],
    ["is told of it when it asks for the same again", "v1", [1, 2]],
  ])("%s", async (_about, image, told) => {
    const world = await aWorld(["node-1"]);
    const slow = slowFirstPod(world);
    const generations = new Set<unknown>();
    const fate: Fate = (request, send) => {
      const isStatus = request.method === "PATCH" && request.path.includes("/toys/a/status");
      const { observedGeneration: generation } = isStatus ? JSON.parse(String(request.body)).status : {};
      // What has not changed is not written again.
      if (generation !== undefined) generations.add(generation);
      return slow(request, send);
    };
    const isSameWish: Kind["isSameWish"] = (was, now) => imageIn(was) === imageIn(now);
    world.operate({ kinds: [{ ...toyKind, isSameWish }], fate });
    await world.clock.elapse(5_000);
    await world.toy("a", "v1");
    await world.clock.elapse(1_000);
    const body = { spec: { image, note: "edited" } };
    await world.do(world.client.patch(toys, "default/a", { type: "merge", body }));
    await world.clock.elapse(60_000);
    expect([...generations]).toEqual(told);
  });
});

function imageIn({ object: { spec } }: StoredObject) {
  return isJsonObject(spec) ? spec.image : undefined;
}

describe("what a create follows from", () => {
  const observe: Kind["observe"] = (snapshot, stored) => {
    const observation = toyKind.observe(snapshot, stored);
    const decide = (nowMs: number) => {
      const { plan, asks } = observation.decide(nowMs);
      const steps = plan.steps.map((step) => (step.do === "create" ? { ...step, premises: [] } : step));
      return { plan: { ...plan, steps }, asks };
    };
    return { ...observation, decide };
  };
  const isRead = ({ method, path }: HttpRequest) => method === "GET" && path.includes("/toys/a");

  test.each([
    ["is read again where nobody keeps others away", {}, true],
    ["is not read where a lease does", { lease: { namespace: "default", name: "toymaker" } }, false],
  ])("%s", async (_about, options, isExpected) => {
    const world = await aWorld();
    const reads: string[] = [];
    const fate: Fate = (request, send) => {
      if (isRead(request)) reads.push(request.path);
      return send();
    };
    world.operate({ ...options, kinds: [{ ...toyKind, observe }], fate });
    await world.clock.elapse(20_000);
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    expect((await world.picture()).pods).toHaveLength(3);
    expect(reads.length > 0).toBe(isExpected);
  });
});

describe("bad connections", () => {
  test("a leader that cannot renew its lease sends nothing more, not even what it has begun to send", async () => {
    const lease = { namespace: "default", name: "toymaker" };
    const world = await aWorld(["node-1"]);
    let isCut = false;
    const sent: { readonly isLeading: boolean }[] = [];
    const first = world.operate({
      lease,
      fate: (request, send) => {
        if (!isCut) return send();
        if (request.lane === "lease") return new Promise(() => undefined);
        if (isWrite(request)) sent.push({ isLeading: first.operator.readings().leadership.isLeading });
        // Nothing arrives, so the client tries again and again.
        return isWrite(request) ? Promise.reject(brokenConnection()) : send();
      },
    });
    await world.clock.elapse(30_000);
    expect(first.operator.readings().leadership.isLeading).toBe(true);
    isCut = true;
    await world.clock.elapse(7_500);
    await world.toy("a", "v1");
    await world.clock.elapse(30_000);
    expect(first.operator.readings().leadership.isLeading).toBe(false);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.filter(({ isLeading }) => !isLeading)).toEqual([]);
  });

  test("a write that never arrived is decided upon anew when it stops to count", async () => {
    const world = await aWorld(["node-1"]);
    let isLost = true;
    world.operate({
      fate: async (request, send) => {
        if (isLost && request.path.includes("/pods")) throw brokenConnection();
        return send();
      },
    });
    await world.toy("a", "v1");
    await world.clock.elapse(15_000);
    isLost = false;
    await world.clock.elapse(5_000);
    expect((await world.picture()).pods).toEqual([]);
    await world.clock.elapse(40_000);
    expect((await world.picture()).pods).toEqual(["node-1 v1 ready"]);
  });

  test("answers that are lost after the write cost no twin and no second workload", async () => {
    const world = await aWorld();
    const twins = world.watchTwins();
    let count = 0;
    world.operate({
      fate: async (request, send) => {
        const answer = await send();
        count += isWrite(request) ? 1 : 0;
        if (isWrite(request) && count % 2 === 1) throw brokenConnection();
        return answer;
      },
    });
    await world.toy("a", "v1");
    await world.clock.elapse(120_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(300_000);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
    expect(twins.seen).toEqual([]);
  });

  test("a cache that lags does not spend the budget twice", async () => {
    const world = await aWorld();
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    world.killAll();
    const missing = world.watchMissingPods(3);
    world.writes.splice(0);
    // The new process reads a server whose picture is two seconds old; its writes reach the store at once.
    world.operate({ replica: world.laggingReplica(2_000) });
    await world.clock.elapse(15_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(300_000);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
    expect(missing.most).toBe(1);
    // One workload, and for each node a label, a delete and a create: nothing is sent twice because it was not seen yet.
    expect(world.writes.filter((write) => !write.endsWith("/status"))).toHaveLength(1 + 3 * 3);
  });
});
