// The DaemonSet controller and the scheduler together, over the embedded API server in virtual time.
import { describe, expect, test } from "vitest";
import { objectAt, textAt } from "../../api-server/api-object.ts";
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from "../api-resources.ts";
import { aDaemonSet, aWorld, template, type World } from "../testing/controllers-fixture.ts";

const SET = "default/agent";
const names = ["daemon-set", "scheduler"] as const;

async function aFleet(count: number): Promise<World> {
  const world = await aWorld(names);
  for (let place = 1; place <= count; place++) await world.node(`n-${place}`);
  return world;
}

async function imagesByNode(world: World): Promise<Readonly<Record<string, string>>> {
  const pods = await world.pods();
  return Object.fromEntries(
    pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec = {} }) => [
        textAt(spec, "nodeName"),
        JSON.stringify(spec.containers).match(/"image":"(\w+)"/)?.[1] ?? "",
      ])
      .sort(),
  );
}

const statusOf = async (world: World) => (await world.get(DAEMON_SETS, SET))?.status;

describe("a new DaemonSet", () => {
  test("gets one pod per eligible node, bound there, and says so", async () => {
    const world = await aFleet(3);
    await world.node("gpu", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] });
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(5_000);
    expect(await imagesByNode(world)).toEqual({ "n-1": "v1", "n-2": "v1", "n-3": "v1" });
    expect(await statusOf(world)).toMatchObject({
      ...{ desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3, numberMisscheduled: 0 },
      ...{ numberReady: 3, numberAvailable: 3, observedGeneration: 1 },
    });
    expect(world.counts).toEqual({ created: 3, deleted: 0 });
  });

  test("follows nodes as they come, change and go", async () => {
    const world = await aFleet(2);
    const nodeSelector = { disk: "large" };
    const wish = { ...template("v1"), spec: { ...objectAt(template("v1"), "spec"), nodeSelector } };
    await world.client.create(DAEMON_SETS, aDaemonSet("agent", { template: wish }));
    await world.pass(3_000);
    expect(await world.pods()).toEqual([]);
    await world.patch(NODES, "n-1", { metadata: { labels: { disk: "large" } } });
    await world.node("n-3", { labels: { disk: "large" } });
    await world.pass(3_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["n-1", "n-3"]);
    await world.patch(NODES, "n-1", { metadata: { labels: { disk: null } } });
    await world.pass(3_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["n-3"]);
    expect(await statusOf(world)).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1, numberMisscheduled: 0 });
  });

  test("leaves a node that gets a taint it does not tolerate, and returns with its end", async () => {
    const world = await aFleet(2);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(3_000);
    await world.patch(NODES, "n-1", { spec: { taints: [{ key: "gone", effect: "NoExecute" }] } });
    await world.pass(3_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["n-2"]);
    await world.patch(NODES, "n-1", { spec: { taints: null } });
    await world.pass(3_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["n-1", "n-2"]);
  });

  test("makes no twins when its controller crashes and starts anew, however slow it is", async () => {
    const world = await aWorld(names, {
      pace: { "daemon-set": { minMs: 0, maxMs: 900 }, scheduler: { minMs: 5, maxMs: 2_000 } },
    });
    for (const name of ["a", "b", "c", "d"]) await world.node(name);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    for (let crashes = 0; crashes < 5; crashes++) {
      await world.pass(750);
      void world.crash();
      world.restart();
    }
    await world.pass(10_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["a", "b", "c", "d"]);
    expect(world.counts).toEqual({ created: 4, deleted: 0 });
  });
});

describe("a picture that lags behind", () => {
  test("makes no twins: a second look waits until the first deeds are seen", async () => {
    const world = await aWorld(names, { lagMs: 3_000 });
    for (const name of ["a", "b", "c"]) await world.node(name);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(4_000);
    // Something else wakes the controller while it does not see its pods.
    await world.patch(DAEMON_SETS, SET, { metadata: { labels: { touched: "yes" } } });
    await world.node("d");
    await world.pass(20_000);
    expect(Object.keys(await imagesByNode(world))).toEqual(["a", "b", "c", "d"]);
    expect(world.counts).toEqual({ created: 4, deleted: 0 });
  });

  test("makes at most 250 pods at a time", async () => {
    const world = await aWorld(["daemon-set"], { lagMs: 5_000 });
    for (let place = 0; place < 260; place++) await world.node(`n-${place}`);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.clock.elapse(6_000);
    expect(world.counts.created).toBe(250);
    await world.clock.elapse(10_000);
    expect(world.counts.created).toBe(260);
  });

  test("never takes down more nodes than allowed", async () => {
    const world = await aWorld(names, { lagMs: 2_000 });
    for (const name of ["a", "b", "c"]) await world.node(name);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(15_000);
    const living = new Set((await world.pods()).map(({ metadata }) => metadata.uid));
    let fewest = living.size;
    world.server.onCommit(({ table, object }) => {
      if (table !== "pods") return;
      const { uid = "", deletionTimestamp } = objectAt(object, "metadata");
      const isUp = deletionTimestamp === undefined && JSON.stringify(object.status).includes("Running");
      if (isUp) living.add(String(uid));
      else living.delete(String(uid));
      fewest = Math.min(fewest, living.size);
    });
    await world.patch(DAEMON_SETS, SET, { spec: { template: template("v2") } });
    for (let touch = 0; touch < 120; touch++) {
      await world.patch(DAEMON_SETS, SET, { metadata: { labels: { touched: `${touch}` } } });
      await world.pass(500);
    }
    expect(Object.values(await imagesByNode(world))).toEqual(["v2", "v2", "v2"]);
    expect(fewest).toBe(2);
    expect(world.counts).toEqual({ created: 6, deleted: 3 });
  });
});

describe("a changed template", () => {
  async function rolledOut(strategy: Parameters<typeof aDaemonSet>[1]): Promise<World> {
    const world = await aFleet(4);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent", strategy));
    await world.pass(4_000);
    return world;
  }

  test("rolls out node by node within maxUnavailable, and remembers the old template", async () => {
    const world = await rolledOut({});
    const worst: number[] = [];
    world.server.onCommit(({ table, object }) => {
      if (table === "daemonsets.apps") worst.push(Number(objectAt(object, "status").numberUnavailable ?? 0));
    });
    await world.patch(DAEMON_SETS, SET, { spec: { template: template("v2") } });
    await world.pass(15_000);
    expect(Object.values(await imagesByNode(world))).toEqual(["v2", "v2", "v2", "v2"]);
    expect(world.counts).toEqual({ created: 8, deleted: 4 });
    expect(Math.max(...worst)).toBe(1);
    const revisions = await world.list(CONTROLLER_REVISIONS, "default");
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
    expect(await statusOf(world)).toMatchObject({
      updatedNumberScheduled: 4,
      numberAvailable: 4,
      observedGeneration: 2,
    });
  });

  test("stops at the first node that does not become ready", async () => {
    const world = await rolledOut({});
    world.fates.set("v2", "unready");
    await world.patch(DAEMON_SETS, SET, { spec: { template: template("v2") } });
    await world.pass(15_000);
    expect(Object.values(await imagesByNode(world)).sort()).toEqual(["v1", "v1", "v1", "v2"]);
  });

  test("surges: the new pod is ready before the old one goes", async () => {
    const world = await rolledOut({ updateStrategy: { rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } } });
    await world.patch(DAEMON_SETS, SET, { spec: { template: template("v2") } });
    let available = 4;
    world.server.onCommit(({ table, object }) => {
      if (table === "daemonsets.apps")
        available = Math.min(available, Number(objectAt(object, "status").numberAvailable));
    });
    await world.pass(15_000);
    expect(Object.values(await imagesByNode(world))).toEqual(["v2", "v2", "v2", "v2"]);
    expect(available).toBe(4);
    expect(world.counts).toEqual({ created: 8, deleted: 4 });
  });

  test("that comes back is the newest revision again, and no new one", async () => {
    const world = await rolledOut({});
    for (const image of ["v2", "v1"]) {
      await world.patch(DAEMON_SETS, SET, { spec: { template: template(image) } });
      await world.pass(15_000);
    }
    const revisions = await world.list(CONTROLLER_REVISIONS, "default");
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
    expect(Object.values(await imagesByNode(world))).toEqual(["v1", "v1", "v1", "v1"]);
  });

  test("waits for hand deletes under OnDelete", async () => {
    const world = await rolledOut({ updateStrategy: { type: "OnDelete" } });
    await world.patch(DAEMON_SETS, SET, { spec: { template: template("v2") } });
    await world.pass(5_000);
    expect(Object.values(await imagesByNode(world))).toEqual(["v1", "v1", "v1", "v1"]);
    const [pod] = await world.pods();
    await world.client.remove(PODS, `default/${pod?.metadata.name}`);
    await world.pass(5_000);
    expect(Object.values(await imagesByNode(world)).sort()).toEqual(["v1", "v1", "v1", "v2"]);
    expect(await statusOf(world)).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 4 });
  });

  test("lets a pod count as available only after minReadySeconds, and keeps as many revisions as asked", async () => {
    const world = await rolledOut({ minReadySeconds: 10, revisionHistoryLimit: 1 });
    expect(await statusOf(world)).toMatchObject({ numberReady: 4 });
    expect((await statusOf(world))?.numberAvailable).toBeUndefined();
    await world.pass(12_000);
    expect(await statusOf(world)).toMatchObject({ numberAvailable: 4 });
    for (const image of ["v2", "v3"]) {
      await world.patch(DAEMON_SETS, SET, { spec: { template: template(image) } });
      await world.pass(60_000);
    }
    const revisions = await world.list(CONTROLLER_REVISIONS, "default");
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
  });
});

describe("pods that went wrong", () => {
  test("failed pods are replaced, with a pause that doubles", async () => {
    const world = await aFleet(1);
    world.fates.set("v1", "fails");
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(20_000);
    // After 0, 1, 2, 4 and 8 seconds.
    expect(world.counts.created).toBeGreaterThanOrEqual(5);
    expect(world.counts.created).toBeLessThanOrEqual(6);
  });

  test("a pod whose labels no longer match is let go and replaced; a stray that matches is taken in", async () => {
    const world = await aFleet(1);
    await world.client.create(DAEMON_SETS, aDaemonSet("agent"));
    await world.pass(3_000);
    const [pod] = await world.pods();
    const key = `default/${pod?.metadata.name}`;
    await world.patch(PODS, key, { metadata: { labels: { app: "other" } } });
    await world.pass(3_000);
    expect((await world.get(PODS, key))?.metadata.ownerReferences).toBeUndefined();
    expect((await world.pods()).length).toBe(2);
    await world.patch(PODS, key, { metadata: { labels: { app: "agent" } } });
    await world.pass(3_000);
    // Of two pods on one node the older stays.
    expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual([pod?.metadata.name]);
  });
});
