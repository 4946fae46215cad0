import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/kube/create-client.ts";
import { namedKey } from "../../src/kube/resource.ts";
import { type ApiServer, createApiServer } from "../api-server/api-server.ts";
import { builtInKinds } from "../api-server/built-in/built-in-kinds.ts";
import { expandFleet } from "../fleets/expand-fleet.ts";
import { readFleet } from "../fleets/read-fleet.ts";
import { seededRand } from "../seeded-rand.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { type ApiNode, type ApiPod, LEASE_NAMESPACE, LEASES, NODES, PODS } from "./api-shapes.ts";
import { type Nodes, type NodesOptions, startNodes } from "./start-nodes.ts";

const kinds = builtInKinds();
const small = expandFleet(readFleet("small-5"));

/** An embedded API server with a fleet, all in virtual time. */
class World {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly client;
  readonly nodes: Nodes;
  readonly trace: string[] = [];
  readonly #seed: number;

  constructor(options: Partial<NodesOptions> = {}, seed = 1) {
    this.#seed = seed;
    this.server = createApiServer({ clock: this.clock, rand: seededRand(seed), builtIn: kinds });
    const { clock } = this;
    const rand = seededRand(seed + 1);
    this.client = createClient({ transport: this.server.transport(), clock, rand, fieldManager: "test" });
    this.server.onCommit(({ key, revision }) => this.trace.push(`${clock.monotonicMs()} ${revision} ${key}`));
    this.nodes = this.start(options);
  }

  start(options: Partial<NodesOptions> = {}): Nodes {
    const rand = seededRand(this.#seed + 2);
    return startNodes({ transport: this.server.transport(), clock: this.clock, rand, fleet: small, ...options });
  }

  async up(): Promise<this> {
    await this.clock.elapse(10_000);
    await this.nodes.ready;
    return this;
  }

  /** A pod that somebody has bound to a node. */
  async bind(name: string, nodeName: string, spec: object = {}): Promise<void> {
    await this.during(
      this.client.create(PODS, {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
        spec: { nodeName, containers: [{ name: "main", image: "tool:v1" }], ...spec },
      }),
    );
  }

  /** Lets virtual time do what a call waits for. */
  async during<T>(work: Promise<T>): Promise<T> {
    await this.clock.settle();
    return work;
  }

  node(name: string): Promise<ApiNode | undefined> {
    return this.during(this.client.get(NODES, name));
  }

  pod(name: string): Promise<ApiPod | undefined> {
    return this.during(this.client.get(PODS, namedKey(name, "default")));
  }

  async phase(name: string): Promise<string | undefined> {
    return (await this.pod(name))?.status?.phase;
  }

  async renewedAt(node: string): Promise<string | undefined> {
    const lease = await this.during(this.client.get(LEASES, namedKey(node, LEASE_NAMESPACE)));
    return lease?.spec.renewTime;
  }
}

const worlds: World[] = [];
async function aWorld(options: Partial<NodesOptions> = {}): Promise<World> {
  const world = new World(options);
  worlds.push(world);
  return world.up();
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.nodes.stop();
});

const isReady = (object: ApiNode | ApiPod | undefined) =>
  object?.status?.conditions?.find(({ type }) => type === "Ready")?.status;

describe("a fleet on the embedded API server", () => {
  test("every machine is a ready node with the kernel of its file", async () => {
    const { client } = await aWorld();
    const { items } = await client.list(NODES);
    const told = items.map((node) => [node.metadata.name, node.status?.nodeInfo?.kernelVersion, isReady(node)]);
    expect(told.sort()).toEqual(small.map(({ name, kernel }) => [name, kernel, "True"]));
  });

  test("leases are renewed while the machine is heard, and only then", async () => {
    const world = await aWorld();
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
    const world = await aWorld({ heartbeat: { everyMs: 10_000, graceSeconds: 40 } });
    world.trace.splice(0);
    await world.clock.elapse(100_000);
    expect(world.trace.every((line) => line.includes(LEASE_NAMESPACE))).toBe(true);
    expect(world.trace.length).toBeGreaterThanOrEqual(5 * 10);
    expect(world.trace.length).toBeLessThan(5 * 14);
  });

  test("the same seed gives the same writes at the same instants", async () => {
    const run = async () => {
      const world = await aWorld();
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
    const world = await aWorld(slow(link));
    await world.bind("late", "node-1");
    await world.bind("prompt", "node-2");
    await world.clock.elapse(4_500);
    expect([await world.phase("late"), await world.phase("prompt")]).toEqual(["Pending", "Running"]);
    await world.clock.elapse(1_000);
    expect(await world.phase("late")).toBe("Running");
  });

  test("one that hears late goes by the labels that its node had", async () => {
    const world = await aWorld(slow({ hearsAfterMs: 5_000, tellsAfterMs: 0 }));
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

describe("machines come and go", () => {
  test("a reboot into another kernel gives another boot ID and restarts the pods", async () => {
    const world = await aWorld();
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
    const world = await aWorld();
    await world.bind("agent", "node-1");
    await world.clock.elapse(1_000);
    const before = await world.node("node-1");
    await world.during(world.nodes.stop());
    const again = world.start();
    await world.clock.elapse(5_000);
    await again.ready;
    const after = await world.node("node-1");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.status?.nodeInfo?.bootID).toBe(before?.status?.nodeInfo?.bootID);
    expect((await world.pod("agent"))?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
    await again.stop();
  });

  test("after a crash nothing more is written, not even what was under way", async () => {
    const world = await aWorld({ linkOf: () => ({ hearsAfterMs: 0, tellsAfterMs: 1_000 }) });
    await world.bind("agent", "node-1");
    await world.clock.elapse(500);
    const stopped = world.nodes.stop();
    const before = world.server.revision();
    await world.clock.elapse(60_000);
    await stopped;
    expect(world.server.revision()).toBe(before);
  });

  test.each([0, 1, 2, 3, 5, 8, 13, 21])(
    "stopped after %i turns of the start, they leave no timer behind",
    async (turns) => {
      const world = new World();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const stopped = world.nodes.stop();
      await world.clock.elapse(120_000);
      await stopped;
      expect(world.clock.timerCount).toBe(0);
      await expect(world.nodes.ready).rejects.toThrow();
    },
  );

  test("a machine that leaves and joins again is another node, and nothing runs on it any more", async () => {
    const world = await aWorld();
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

  test("a node that somebody deletes stays away until its machine reboots", async () => {
    const world = await aWorld();
    await world.during(world.client.remove(NODES, "node-1"));
    await world.clock.elapse(60_000);
    expect(await world.node("node-1")).toBeUndefined();
    world.nodes.kubelets.reboot("node-1");
    await world.clock.elapse(1_000);
    expect(isReady(await world.node("node-1"))).toBe("True");
  });

  test("a node that somebody makes anew is told about by its kubelet", async () => {
    const world = await aWorld();
    await world.during(world.client.remove(NODES, "node-1"));
    await world.clock.elapse(1_000);
    const bare = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
    await world.during(world.client.create(NODES, bare));
    await world.clock.elapse(1_000);
    expect(isReady(await world.node("node-1"))).toBe("True");
  });

  test("a machine takes as many pods as it has room for", async () => {
    const fleet = small.slice(0, 1).map((spec) => ({ ...spec, capacity: { pods: "2" } }));
    const world = await aWorld({ fleet });
    for (const name of ["a", "b", "c"]) await world.bind(name, "node-1");
    await world.clock.elapse(1_000);
    const phases = [await world.phase("a"), await world.phase("b"), (await world.pod("c"))?.status];
    expect(phases).toMatchObject(["Running", "Running", { phase: "Failed", reason: "OutOfpods" }]);
    // One that has ended makes room.
    await world.during(world.client.remove(PODS, namedKey("a", "default")));
    await world.clock.elapse(1_000);
    await world.bind("d", "node-1");
    await world.clock.elapse(1_000);
    expect(await world.phase("d")).toBe("Running");
  });

  test("an image that is missing is pulled once the registry has it", async () => {
    const missing = new Set(["tool:v1"]);
    const registry = (image: string) =>
      missing.has(image) ? ({ is: "missing" } as const) : ({ is: "there", pullMs: 2_000 } as const);
    const world = await aWorld({ registry });
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
