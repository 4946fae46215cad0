import { afterEach, describe, expect, test } from "vitest";
import { toyKind, toys, WANTED } from "../../../sim/scenarios/operator/toy-kind.ts";
import { daemonSets, nodes, pods } from "../../../sim/scenarios/operator/toy-picture.ts";
import { ToyWorld } from "../../../sim/scenarios/operator/toy-world.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { parseDaemonPod } from "../../core/pod/daemon-pod.ts";
import { UNREAD_OF_NODES, UNREAD_OF_PODS } from "./cluster-caches.ts";

const worlds: ToyWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

/** A cluster with a toy on three nodes, and what an operator that does nothing more knows of it. */
async function aWorld() {
  const world = await new ToyWorld().up();
  worlds.push(world);
  const { operator } = world.operate();
  await world.toy("a", "v1");
  await world.clock.elapse(10_000);
  const toy = await world.do(world.client.get(toys, "default/a"));
  const uid = toy?.metadata.uid ?? "";
  return { world, uid, view: operator.view, snapshot: operator.view.snapshot };
}

describe("the same question gets the very same answer while nothing changes", () => {
  test("nodes are in the order of their names, and not sorted again", async () => {
    const { snapshot } = await aWorld();
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(["node-1", "node-2", "node-3", "node-4", "node-5"]);
    expect(snapshot.nodes).toBe(snapshot.nodes);
  });

  test("a changed node is a new list in which all others are the same values", async () => {
    const { snapshot, world } = await aWorld();
    const before = snapshot.nodes;
    await world.want("node-4", "yes");
    await world.clock.elapse(1_000);
    const after = snapshot.nodes;
    expect(after).not.toBe(before);
    expect(after.filter((node) => !before.includes(node)).map(({ name }) => name)).toEqual(["node-4"]);
  });

  test("pods and workloads of an owner are not copied for each decision", async () => {
    const { snapshot, uid } = await aWorld();
    expect(snapshot.podsOf(uid)).toHaveLength(3);
    expect(snapshot.podsOf(uid)).toBe(snapshot.podsOf(uid));
    expect(snapshot.workloadsOf(uid)).toBe(snapshot.workloadsOf(uid));
  });

  test("a pod that changes is seen in its owner's list, by name", async () => {
    const { snapshot, uid, world } = await aWorld();
    const [first] = snapshot.podsOf(uid);
    const body = { metadata: { labels: { seen: "yes" } } };
    await world.do(world.client.patch(pods, `default/${first?.name}`, { type: "merge", body }));
    await world.clock.elapse(100);
    const names = snapshot.podsOf(uid).map(({ name }) => name);
    expect(snapshot.podsOf(uid)[0]?.labels.seen).toBe("yes");
    expect(names).toEqual(names.toSorted());
  });
});

describe("since when facts are as they are", () => {
  test("a node that nobody saw change counts from the beginning, one that changed from then", async () => {
    const { snapshot, world } = await aWorld();
    const beganMs = snapshot.factsSinceMs("node-3", [WANTED]);
    await world.want("node-4", "yes");
    await world.clock.elapse(1_000);
    expect(snapshot.factsSinceMs("node-3", [WANTED])).toBe(beganMs);
    const changedMs = snapshot.factsSinceMs("node-4", [WANTED]);
    expect(changedMs).toBeGreaterThan(beganMs + 9_000);
    // Heartbeats are no changes.
    await world.clock.elapse(60_000);
    expect(snapshot.factsSinceMs("node-4", [WANTED])).toBe(changedMs);
  });
});

describe("our own writes are part of the picture", () => {
  test("pods that were sent are there, as pending; pods that were deleted are leaving", async () => {
    const { snapshot, uid, view } = await aWorld();
    const [first] = snapshot.podsOf(uid);
    const target = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "any" };
    const address = { resource: "pods", target, onBehalfOf: "test" };
    view.ledger.sending({ ...address, key: `default/${first?.name}` }, { does: "delete", uid: first?.uid ?? "" });
    const owner = { apiVersion: "v1", kind: "Toy", name: "a", uid, controller: true };
    const metadata = { name: "zz", namespace: "default", ownerReferences: [owner] };
    const object = { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "node-5" } };
    view.ledger.sending({ ...address, key: "default/zz" }, { does: "create", object });
    const told = snapshot.podsOf(uid).map(({ name, node, phase, isLeaving }) => ({ name, node, phase, isLeaving }));
    expect([told.length, told[0]?.isLeaving, told[1]?.isLeaving]).toEqual([4, true, false]);
    expect(told[3]).toEqual({ name: "zz", node: "node-5", phase: "Pending", isLeaving: false });
  });

  test("a label that was sent is on its node, and on no other value of the list", async () => {
    const { snapshot, view } = await aWorld();
    const before = snapshot.nodes;
    const { uid = "" } = before[4] ?? {};
    const target = { apiVersion: "v1", kind: "Node", name: "node-5" };
    const address = { resource: "nodes", key: "node-5", target, onBehalfOf: "test" };
    view.ledger.sending(address, { does: "label", uid, labels: { ours: "1" } });
    expect(snapshot.nodes[4]?.labels.ours).toBe("1");
    expect(snapshot.nodes.slice(0, 4)).toEqual(before.slice(0, 4));
  });
});

describe("what is asked for", () => {
  test("workloads are found by a label of their namespace, whoever controls them", async () => {
    const { snapshot, world } = await aWorld();
    const labels = { app: "stray" };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    };
    const metadata = { name: "stray", namespace: "default", labels };
    await world.do(world.client.create(daemonSets, { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec }));
    await world.clock.elapse(100);
    const names = (namespace: string) => snapshot.workloadsLabelled(namespace, "app", "stray").map(({ name }) => name);
    expect([names("default"), names("other")]).toEqual([["stray"], []]);
    const named = (namespace: string) => snapshot.workloadNamed(namespace, "stray")?.labels.app;
    expect([named("default"), named("other")]).toEqual(["stray", undefined]);
  });

  test("pods that nobody controls are found in their namespace, until somebody does", async () => {
    const { snapshot, world } = await aWorld();
    const metadata = { name: "stray", namespace: "default" };
    const spec = { containers: [{ name: "c", image: "i" }] };
    const { metadata: made } = await world.do(
      world.client.create(pods, { apiVersion: "v1", kind: "Pod", metadata, spec }),
    );
    await world.clock.elapse(100);
    const names = (namespace: string) => snapshot.strayPods(namespace).map(({ name }) => name);
    expect([names("default"), names("other")]).toEqual([["stray"], []]);
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "x", uid: "x-uid", controller: true };
    const body = { metadata: { uid: made.uid, ownerReferences: [owner] } };
    await world.do(world.client.patch(pods, "default/stray", { type: "strategic", body }));
    await world.clock.elapse(100);
    expect(names("default")).toEqual([]);
  });

  test("what no kind reads is a mistake to ask for", async () => {
    const { snapshot } = await aWorld();
    expect(() => snapshot.ownedBy("u", "Job")).toThrow('reads "jobs"');
    expect(() => snapshot.objectNamed("default", "x", "ControllerRevision")).toThrow('reads "controllerrevisions"');
    expect(() => snapshot.strays("default", "ControllerRevision")).toThrow('reads "controllerrevisions"');
    expect(() => snapshot.ownedBy("u", "Secret")).toThrow("nobody caches");
  });

  test("only what the kinds read is watched", async () => {
    const world = await new ToyWorld().up();
    worlds.push(world);
    const { operator } = world.operate({ kinds: [{ ...toyKind, reads: ["jobs", "images"] }] });
    expect([...operator.view.caches.all.keys()].sort()).toEqual([
      "jobs.batch",
      "namespaces",
      "nodes",
      "toys.toys.example.dev",
    ]);
  });
});

test("leaving out what projections do not read changes nothing that they say", async () => {
  const { world } = await aWorld();
  const all = async (resource: typeof nodes): Promise<JsonObject[]> =>
    JSON.parse(JSON.stringify(await world.list(resource)));
  for (const node of await all(nodes))
    expect(parseNodeFacts(without(node, UNREAD_OF_NODES))).toEqual(parseNodeFacts(node));
  for (const pod of await all(pods)) expect(parseDaemonPod(without(pod, UNREAD_OF_PODS))).toEqual(parseDaemonPod(pod));
});

function without(object: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((rest, path) => withoutPath(rest, path.split(".")), object);
}

function withoutPath(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: inner, ...others } = object;
  if (inner === undefined || rest.length === 0) return others;
  const cut: Json = isJsonObject(inner) ? withoutPath(inner, rest) : inner;
  return { ...others, [name]: cut };
}
