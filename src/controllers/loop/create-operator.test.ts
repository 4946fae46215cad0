// The operator with a toy kind on the embedded control plane, in virtual time: an object's life, and who else is in the cluster.
import { afterEach, describe, expect, test } from "vitest";
import { GROUP, labelOf, toyKind, toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { daemonSets, namespaces, nodes, pods } from "../../../sim/scenarios/operator/toy-picture.ts";
import { worldsFor } from "../../../sim/scenarios/operator/toy-world.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Transport } from "../../kube/transport.ts";
import { logToList } from "../../runtime/log/testing/log-to-list.ts";
import { createOperator } from "./create-operator.ts";

const aWorld = worldsFor(afterEach);

const label = labelOf({ namespace: "default", name: "a" });
const refusal = (status: number, reason: string, message: string) => ({
  ...{ status, headers: { "content-type": "application/json" } },
  body: new TextEncoder().encode(JSON.stringify({ kind: "Status", code: status, reason, message })),
});

test("caches tell the server's audit log who reads", async () => {
  const readers: (string | undefined)[] = [];
  const transport: Transport = {
    request: () => new Promise(() => undefined),
    stream: ({ headers }) => {
      readers.push(headers["user-agent"]);
      return new Promise(() => undefined);
    },
  };
  const clock = new VirtualClock();
  const ports = { identity: "one", transport, clock, rand: seededRand(1), log: logToList().log };
  const stop = new AbortController();
  const ended = createOperator(ports, { kinds: [toyKind], program: "toymaker" }).run(stop.signal);
  await clock.elapse(1);
  expect(readers.length).toBeGreaterThan(2);
  expect(new Set(readers)).toEqual(new Set(["toymaker"]));
  stop.abort(new Error("seen enough"));
  await clock.elapse(60_000);
  await ended;
});

describe("an object's life", () => {
  test("a toy gets its workload, the nodes their labels and pods, and its status says so", async () => {
    const world = await aWorld();
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    expect(await world.picture()).toEqual({
      toys: { a: { nodes: 3, ready: 3, Ready: "True", Stalled: "False" } },
      workloads: { a: "v1" },
      labels: { "node-1": "v1", "node-2": "v1", "node-3": "v1" },
      pods: ["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"],
    });
  });

  test("what pods do in a lull is seen when the lull is over", async () => {
    const world = await aWorld();
    const observe: Kind["observe"] = (snapshot, stored) => {
      const observation = toyKind.observe(snapshot, stored);
      const decide = (nowMs: number) => {
        const { plan, asks } = observation.decide(nowMs);
        return { plan: { ...plan, awaitedNodes: 1_000 }, asks };
      };
      return { ...observation, decide };
    };
    world.operate({ kinds: [{ ...toyKind, observe }] });
    await world.toy("a", "v1");
    await world.clock.elapse(30_000);
    const isReady = async () => Object.values((await world.picture()).toys)[0];
    expect(await isReady()).toMatchObject({ nodes: 3, ready: 3 });
    const [pod] = (await world.client.list(pods, { namespace: "default" })).items;
    await world.client.remove(pods, `default/${pod?.metadata.name}`);
    await world.clock.elapse(30_000);
    expect(await isReady()).toMatchObject({ nodes: 3, ready: 3 });
    expect((await world.picture()).pods).toEqual(["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"]);
  });

  test("nothing is written while nothing changes, through relists, restarts and time", async () => {
    const world = await aWorld();
    const limits = { cache: { relistMs: 60_000, watchMinSeconds: 20, watchMaxSeconds: 30 } };
    const first = world.operate({ limits });
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    const written = world.writes.length;
    await world.clock.elapse(300_000);
    first.kill();
    world.operate();
    await world.clock.elapse(60_000);
    expect(world.writes.slice(written)).toEqual([]);
  });

  test("every write that the story needs is sent once", async () => {
    const world = await aWorld();
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    const perObject = world.writes.filter((write) => !write.endsWith("/status"));
    expect(perObject.sort()).toEqual([
      "PATCH /api/v1/nodes/node-1",
      "PATCH /api/v1/nodes/node-2",
      "PATCH /api/v1/nodes/node-3",
      "PATCH /apis/apps/v1/namespaces/default/daemonsets/a",
      ...Array.from({ length: 3 }, () => "POST /api/v1/namespaces/default/pods"),
    ]);
  });

  test("a new image moves one node at a time", async () => {
    const world = await aWorld();
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    const missing = world.watchMissingPods(3);
    await world.setImage("a", "v2");
    await world.clock.elapse(120_000);
    expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
    expect(missing.most).toBe(1);
  });

  test("a node that asks later gets its pod and label; one that asks no more loses both", async () => {
    const world = await aWorld(["node-1"]);
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    await world.want("node-4", "yes");
    await world.want("node-1", null);
    await world.clock.elapse(20_000);
    const { labels, pods: running } = await world.picture();
    expect([labels, running]).toEqual([{ "node-4": "v1" }, ["node-4 v1 ready"]]);
  });

  test("when the toy is gone, the labels that it wrote go too, also if nobody saw it go", async () => {
    const world = await aWorld();
    const process = world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    process.kill();
    await world.do(world.client.remove(toys, "default/a"));
    await world.clock.elapse(5_000);
    expect((await world.picture()).labels).not.toEqual({});
    world.operate();
    await world.clock.elapse(20_000);
    expect(await world.picture()).toEqual({ toys: {}, workloads: {}, labels: {}, pods: [] });
  });

  test("two toys on one node do not take each other's labels away", async () => {
    const world = await aWorld(["node-1"]);
    world.operate();
    await world.toy("a", "v1");
    await world.toy("b", "v7");
    await world.clock.elapse(20_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(20_000);
    const [node] = await world.list(nodes);
    const other = labelOf({ namespace: "default", name: "b" });
    expect([node?.metadata.labels?.[label], node?.metadata.labels?.[other]]).toEqual(["v2", "v7"]);
  });
});

describe("others in the cluster", () => {
  test("a label that somebody else holds is reported with their name and not fought over", async () => {
    const world = await aWorld(["node-1", "node-2"]);
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", labels: { [label]: "mine" } } };
    await world.do(world.client.apply(nodes, object, { fieldManager: "rival" }));
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(30_000);
    expect((await world.picture()).labels).toEqual({ "node-1": "mine", "node-2": "v1" });
    expect(await world.stalledOf("a")).toMatchObject({ status: "True", reason: "LabelContested" });
    expect((await world.stalledOf("a"))?.message).toContain('"rival"');
    const contested = world.writes.filter((write) => write === "PATCH /api/v1/nodes/node-1").length;
    await world.clock.elapse(600_000);
    // Once per look at a stalled object, and not more.
    expect(world.writes.filter((write) => write === "PATCH /api/v1/nodes/node-1").length - contested).toBeLessThan(12);
  });

  test("a pod of its workload wakes a toy, although the workload stands in between", async () => {
    const world = await aWorld(["node-1"]);
    const looks: number[] = [];
    const observe: typeof toyKind.observe = (snapshot, object) => {
      looks.push(world.clock.monotonicMs());
      return toyKind.observe(snapshot, object);
    };
    world.operate({ kinds: [{ ...toyKind, observe }] });
    await world.toy("a", "v1");
    await world.clock.elapse(60_000);
    const before = looks.length;
    const [pod] = (await world.list(pods)).filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind === "DaemonSet",
    );
    const body = { metadata: { labels: { touched: "yes" } } };
    await world.do(world.client.patch(pods, `default/${pod?.metadata.name}`, { type: "merge", body }));
    await world.clock.elapse(1_000);
    expect(looks.length - before).toBe(1);
  });

  test("a workload of somebody else under our name is reported and left alone", async () => {
    const world = await aWorld(["node-1"]);
    const labels = { app: "theirs" };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec("theirs") } };
    const metadata = { name: "a", namespace: "default", labels: { [`${GROUP}/image`]: "theirs" } };
    await world.do(world.client.create(daemonSets, { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec }));
    world.operate();
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    expect((await world.picture()).workloads).toEqual({ a: "theirs" });
    expect(await world.stalledOf("a")).toMatchObject({ status: "True", reason: "NameConflict" });
  });

  test("what is forbidden stalls the object with the server's words, and resumes when it is allowed again", async () => {
    const world = await aWorld(["node-1"]);
    let isForbidden = true;
    world.operate({
      fate: async (request, send) => {
        if (!isForbidden || request.method !== "POST" || !request.path.includes("/pods")) return send();
        return refusal(403, "Forbidden", "pods is forbidden: no role");
      },
    });
    await world.toy("a", "v1");
    await world.clock.elapse(10_000);
    expect(await world.stalledOf("a")).toMatchObject({ status: "True", reason: "Forbidden" });
    expect((await world.stalledOf("a"))?.message).toContain("no role");
    isForbidden = false;
    await world.clock.elapse(120_000);
    expect(await world.stalledOf("a")).toMatchObject({ status: "False" });
    expect((await world.picture()).pods).toEqual(["node-1 v1 ready"]);
  });

  test("an object on which our own code throws is counted and backed off; the others are served", async () => {
    const world = await aWorld(["node-1"]);
    const process = world.operate();
    await world.toy("a", "mistake");
    await world.toy("b", "v1");
    await world.clock.elapse(60_000);
    const mistakes = process.operator.readings().mistakes.get("Toy") ?? 0;
    expect((await world.picture()).pods).toEqual(["node-1 v1 ready"]);
    expect(mistakes).toBeGreaterThan(3);
    expect(mistakes).toBeLessThan(15);
  });

  test("a kind whose definition is missing holds up no other", async () => {
    const world = await aWorld(["node-1"]);
    world.operate({ kinds: [{ ...toyKind, kind: "Ghost", plural: "ghosts" }, toyKind] });
    await world.toy("a", "v1");
    await world.clock.elapse(20_000);
    expect((await world.picture()).pods).toEqual(["node-1 v1 ready"]);
  });

  test("the end of its namespace is seen by an object in it", async () => {
    const world = await aWorld([]);
    const metadata = { name: "ending", finalizers: ["tests.example.dev/stay"] };
    await world.do(world.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata }));
    const looks: boolean[] = [];
    const observe: typeof toyKind.observe = (snapshot, object) => {
      looks.push(snapshot.isTerminating(object.namespace));
      return toyKind.observe(snapshot, object);
    };
    world.operate({ kinds: [{ ...toyKind, observe }] });
    await world.toy("a", "v1", "ending");
    await world.clock.elapse(40_000);
    expect(looks.at(-1)).toBe(false);
    await world.do(world.client.remove(namespaces, "ending"));
    await world.clock.elapse(1_000);
    expect(looks.at(-1)).toBe(true);
  });

  test("in a namespace that is being deleted nothing is made", async () => {
    const world = await aWorld(["node-1"]);
    const metadata = { name: "ending", finalizers: ["tests.example.dev/stay"] };
    await world.do(world.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata }));
    await world.toy("a", "v1", "ending");
    await world.do(world.client.remove(namespaces, "ending"));
    world.operate();
    await world.clock.elapse(10_000);
    expect(world.writes).toEqual([]);
  });
});

function podSpec(image: string) {
  return { containers: [{ name: "main", image }] };
}
