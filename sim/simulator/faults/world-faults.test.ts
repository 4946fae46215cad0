// Each fault of the world, struck by hand, does what its name says and, where it is for a while, is undone.
import { describe, expect, test } from "vitest";
import type { Resource } from "../../../src/kube/resource.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import type { Ports } from "../ports.ts";
import { aWorld, core, podIn, pods, struck, withFleet, withPod } from "../testing/fault-fixture.ts";
import type { World } from "../world.ts";
import { deletes, edits, goneForAWhile, liesInStatus, stripsFinalizers, stripsLabels } from "./object-faults.ts";
import { budgetSpent, cordons, evictions, labelFlips, quotaSpent, taints } from "./place-faults.ts";
import { containersAil, podFails, podStatusLies } from "./pod-faults.ts";
import { certificateExpires, crashLoops, hangs } from "./world-faults.ts";

const entries: Resource = { ...core, plural: "configmaps", kind: "ConfigMap", namespaced: true };
const namespaces: Resource = { ...core, plural: "namespaces", kind: "Namespace", namespaced: false };
const somePods = { resource: pods, table: "pods" };

describe("a process", () => {
  const hosted = (world: World) => {
    const lives: Ports[] = [];
    const host = world.host("p", (ports) => lives.push(ports));
    return { host, lives };
  };

  test("that loops dies as often as was chosen, and then lives", async () => {
    const world = aWorld({ "p-crash-loops": [1, 2] });
    const { host, lives } = hosted(world);
    await struck(world, crashLoops("p"));
    await world.clock.elapse(60_000);
    expect([lives.length, host.lives.map(({ name }) => name)]).toEqual([5, ["p.5"]]);
  });

  test("that loops lives as soon as the faults are over", async () => {
    const world = aWorld({ "p-crash-loops": [1, 6] });
    const { lives } = hosted(world);
    await struck(world, crashLoops("p"));
    world.faults.end();
    await world.clock.elapse(60_000);
    expect(lives).toHaveLength(2);
  });

  test("may hang for two minutes: longer than any lease", async () => {
    const world = aWorld({ "p-hangs": [9] });
    const { host } = hosted(world);
    await struck(world, hangs("p"));
    await world.clock.elapse(119_000);
    expect(host.lives[0]?.isPaused).toBe(true);
    await world.clock.elapse(1_000);
    expect(host.lives[0]?.isPaused).toBe(false);
  });

  test("gets no new connection while its certificate has expired", async () => {
    const world = aWorld({ "p-certificate-expires": [6] });
    const { host } = hosted(world);
    await struck(world, certificateExpires("p"));
    expect(host.isTrusted).toBe(false);
    await world.clock.elapse(24_000);
    expect(host.isTrusted).toBe(true);
  });
});

describe("an object", () => {
  test("is deleted", async () => {
    const world = await withPod(aWorld());
    expect(await struck(world, deletes(somePods))).toBe("default/p Background");
    expect(metaOf(podIn(world)).deletionTimestamp).toBeDefined();
  });

  test("loses its labels, all of them", async () => {
    const world = await withPod(aWorld());
    await struck(world, stripsLabels(somePods));
    expect(metaOf(podIn(world)).labels).toBeUndefined();
  });

  test("loses its finalizers, and one without any is left alone", async () => {
    const world = await withPod(aWorld());
    expect(await struck(world, stripsFinalizers(somePods))).toBeUndefined();
    const held = await withPod(aWorld(), { finalizers: ["a.example/b"] });
    await struck(held, stripsFinalizers(somePods));
    expect(metaOf(podIn(held)).finalizers).toBeUndefined();
  });

  test("says in its status what is not so, and nothing else of it changes", async () => {
    const world = await withPod(aWorld());
    const before = objectAt(podIn(world), "spec");
    await struck(world, liesInStatus(somePods, [{ phase: "Unknown" }]));
    expect(objectAt(podIn(world), "status").phase).toBe("Unknown");
    expect(objectAt(podIn(world), "spec")).toEqual(before);
  });

  test("is edited as the fault chooses", async () => {
    const world = await withPod(aWorld({ "marks-pods": [0, 1] }));
    const mark = (value: string) => ({ metadata: { annotations: { mark: value } } });
    await struck(world, edits("marks", somePods, [mark("one"), mark("two")]));
    expect(metaOf(podIn(world)).annotations).toEqual({ mark: "two" });
  });

  test("that is not meant is left alone", async () => {
    const world = await withPod(aWorld());
    expect(await struck(world, deletes({ ...somePods, isMeant: () => false }))).toBeUndefined();
  });
});

describe("what is gone for a while", () => {
  const playroom = { apiVersion: "v1", kind: "Namespace", metadata: { name: "playroom" } };
  const toy = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "toy", namespace: "playroom" } };
  const gone = goneForAWhile({
    ...{ name: "gone", rate: 1, resource: namespaces, table: "namespaces", object: playroom },
    refill: (client) => client.create(entries, toy),
  });
  const uids = ({ state }: World) =>
    [state.object("namespaces", "playroom"), state.object("configmaps", "playroom/toy")].map((object) =>
      textAt(metaOf(object ?? {}), "uid"),
    );

  test("ends with everything in it, and both come back as others of the same name", async () => {
    const world = aWorld();
    world.host("controllers", (ports) => void startControllers(ports));
    await world.client("user").create(namespaces, playroom);
    await world.client("user").create(entries, toy);
    const before = uids(world);
    await struck(world, gone);
    await world.clock.elapse(60_000);
    const after = uids(world);
    expect(after).not.toContain("");
    expect(after.map((uid, at) => uid === before[at])).toEqual([false, false]);
  });

  test("does not come back before its end, however long that takes", async () => {
    const world = aWorld();
    await world.client("user").create(namespaces, playroom);
    await struck(world, gone);
    await world.clock.elapse(60_000);
    expect(metaOf(world.state.object("namespaces", "playroom") ?? {}).deletionTimestamp).toBeDefined();
    expect(await struck(world, gone)).toBeUndefined();
  });
});

describe("a place", () => {
  const specOf = (world: World) => objectAt(world.state.object("nodes", "node-1") ?? {}, "spec");
  const labelOf = (world: World) => objectAt(metaOf(world.state.object("nodes", "node-1") ?? {}), "labels").wanted;
  const taintKeys = (world: World) =>
    listAt(specOf(world), "taints").map((taint) => textAt({ ...Object(taint) }, "key"));

  test.each([
    ["label", labelFlips("wanted", ["no", null], "yes"), labelOf, "no", "yes"],
    ["cordon", cordons, (world: World) => specOf(world).unschedulable, true, undefined],
  ])("gets another %s, and after a while the one it had", async (_, fault, read, meanwhile, afterwards) => {
    const { world } = await withFleet(aWorld());
    await struck(world, fault);
    expect(read(world)).toBe(meanwhile);
    await world.clock.elapse(1_000);
    expect(read(world)).toBe(afterwards);
  });

  test("gets a taint beside those of others, and loses only that", async () => {
    const { world } = await withFleet(aWorld());
    const nodes: Resource = { ...core, plural: "nodes", kind: "Node", namespaced: false };
    const body = { spec: { taints: [{ key: "theirs", effect: "NoSchedule" }] } };
    await world.client("user").patch(nodes, "node-1", { type: "merge", body });
    await struck(world, taints);
    expect(taintKeys(world)).toEqual(["theirs", "sim/strange"]);
    await world.clock.elapse(1_000);
    expect(taintKeys(world)).toEqual(["theirs"]);
  });

  test("has no room for pods while its quota is spent", async () => {
    const world = aWorld();
    await struck(world, quotaSpent("default"));
    await expect(withPod(world)).rejects.toMatchObject({ status: 403 });
    await world.clock.elapse(1_000);
    await expect(withPod(world)).resolves.toBeDefined();
  });

  test("lets nobody evict a pod while its budget is spent", async () => {
    const { world } = await withFleet(await withPod(aWorld({ "budget-spent": [6] })));
    expect(objectAt(podIn(world), "status").phase).toBe("Running");
    await struck(world, budgetSpent("default"));
    await struck(world, evictions);
    expect(metaOf(podIn(world)).deletionTimestamp).toBeUndefined();
    await world.clock.elapse(24_000);
    await struck(world, evictions);
    expect(metaOf(podIn(world)).deletionTimestamp).toBeDefined();
  });
});

describe("a pod", () => {
  test("is given up by its kubelet, and stays so", async () => {
    const { world } = await withFleet(await withPod(aWorld()));
    await struck(world, podFails);
    await world.clock.elapse(5_000);
    expect(objectAt(podIn(world), "status")).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect(await struck(world, podFails)).toBeUndefined();
  });

  const readyIn = (world: World) => {
    const conditions = listAt(objectAt(podIn(world), "status"), "conditions");
    return conditions.map((each) => ({ ...Object(each) })).find(({ type }) => type === "Ready")?.status;
  };

  test("says for a moment that it is not ready, until its kubelet looks", async () => {
    const { world } = await withFleet(await withPod(aWorld({ "lies-in-status-pods": [0, 1] })));
    expect(readyIn(world)).toBe("True");
    podStatusLies.strike(world, world.faults.fault(podStatusLies.name));
    await world.clock.elapse(0.5);
    expect(readyIn(world)).toBe("False");
    await world.clock.elapse(5_000);
    expect(readyIn(world)).toBe("True");
  });

  test("crashes on a node where containers ail, and runs again when that is over", async () => {
    const { world, nodesOf } = await withFleet(await withPod(aWorld({ "containers-ail": [0, 0, 6] })));
    await struck(world, containersAil(nodesOf));
    await world.clock.elapse(10_000);
    expect(readyIn(world)).toBe("False");
    await world.clock.elapse(90_000);
    expect(readyIn(world)).toBe("True");
  });
});
