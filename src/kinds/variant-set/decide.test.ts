import { describe, expect, test } from "vitest";
import { DAMPING_MS } from "../../core/rollout/berth.ts";
import { conditions, ids, image, NEW, nodes, OLD } from "./testing/old-and-new.ts";
import { aNodeObject, aSetObject, PaperSet } from "./testing/paper-set.ts";

describe("a new set", () => {
  test("makes one DaemonSet per variant with nodes, then labels, then pods; and then there is nothing left to do", () => {
    const world = new PaperSet([...nodes("a", "b"), aNodeObject("c", { kernel: OLD })]);
    const plan = world.act();
    expect(ids(plan, "apply")).toHaveLength(5);
    for (const step of plan.steps) {
      if (step.do === "apply" && step.object.kind === "Node")
        expect(step.after?.[0]).toMatch(/^apply apps\/v1 DaemonSet storage\/agent-(new|old)-/);
    }
    world.settle();
    expect(world.bindings()).toEqual({ a: "new", b: "new", c: "old" });
    expect(world.running()).toEqual([`a ${image("new")}`, `b ${image("new")}`, `c ${image("old")}`]);
    expect(world.plan()).toEqual({ steps: [], held: [] });
    expect(conditions(world)).toMatchObject({
      Ready: "True AllNodesFitted",
      Reconciling: "False Succeeded",
      Stalled: "False Succeeded",
      RolledOut: "True RolloutComplete",
    });
    expect(world.status).toMatchObject({
      variantCount: 2,
      nodes: { inScope: 3, fitted: 3, held: 0, unknown: 0, none: 0, excluded: 0 },
    });
  });

  test("says how many nodes only wait for their pods, once that is all that is left to do", () => {
    const world = new PaperSet([...nodes("a", "b"), aNodeObject("c", { kernel: OLD })]);
    expect(world.act()).not.toHaveProperty("awaitedNodes");
    expect(world.plan()).toMatchObject({ held: [], awaitedNodes: 3 });
    world.cluster.put(aNodeObject("d", { kernel: NEW }));
    expect(world.plan()).not.toHaveProperty("awaitedNodes");
    world.settle();
    expect(world.plan()).not.toHaveProperty("awaitedNodes");
  });

  test("does not say so of nodes while another is held, which a pod may let go", () => {
    const world = new PaperSet(nodes("a", "b", "c")).settle();
    world.change("a", { kernel: OLD });
    world.nowMs += DAMPING_MS;
    world.act();
    world.cluster.put(aNodeObject("d", { kernel: NEW }));
    world.act();
    const plan = world.plan();
    expect(plan.held.map(({ node, reason }) => `${node} ${reason}`)).toEqual(["a HandOver"]);
    expect(plan).not.toHaveProperty("awaitedNodes");
  });

  test("makes no DaemonSet for a variant without nodes", () => {
    expect(new PaperSet(nodes("a")).settle().workloadNames()).toHaveLength(1);
  });

  test("selects pods by a label of its own per variant, and nodes by the binding label and the template's own", () => {
    const template = {
      metadata: { labels: { app: "x" } },
      spec: { nodeSelector: { disk: "nvme" }, containers: [{ name: "agent", image: image("base") }] },
    };
    const world = new PaperSet(
      [aNodeObject("a", { kernel: NEW, labels: { disk: "nvme" } })],
      aSetObject({ template }),
    ).settle();
    const [workload] = world.cluster.workloads.values();
    expect(workload?.spec).toMatchObject({
      selector: { matchLabels: { "farrier.dev/workload": workload?.name } },
      updateStrategy: { type: "OnDelete" },
      template: { spec: { nodeSelector: { disk: "nvme", "variant.farrier.dev/storage.agent": "new" } } },
    });
  });

  test("gives each kernel its own DaemonSet where an image names the kernel", () => {
    const variants = [{ name: "all", match: { kernel: ">=1.0" }, images: { agent: image("$KERNEL_XYZ") } }];
    const world = new PaperSet(
      [...nodes("a"), aNodeObject("b", { kernel: "5.14.0-2" }), aNodeObject("c", { kernel: OLD })],
      aSetObject({ variants }),
    );
    world.settle();
    expect(world.workloadNames()).toHaveLength(2);
    expect(world.running()).toEqual([`a ${image("5.14.0")}`, `b ${image("5.14.0")}`, `c ${image("4.18.0")}`]);
    world.edit({ variants: [{ ...variants[0], images: { agent: image("v2-$KERNEL_XYZ") } }] });
    world.settle();
    expect(world.workloadNames()).toHaveLength(2);
    expect(world.running()).toEqual([`a ${image("v2-5.14.0")}`, `b ${image("v2-5.14.0")}`, `c ${image("v2-4.18.0")}`]);
  });

  test("does nothing in a namespace that is being deleted, nor when it is being deleted itself", () => {
    const namespace = { kind: "Namespace", metadata: { name: "storage", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(new PaperSet(nodes("a"), aSetObject(), [namespace]).plan().steps).toEqual([]);
    const object = aSetObject();
    const leaving = { ...object, metadata: { ...Object(object.metadata), deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(new PaperSet(nodes("a"), leaving).plan().steps).toEqual([]);
  });

  test.each([
    { finalizers: ["example.com/backup"], stalled: "True BeingDeleted", reconciling: "False BeingDeleted" },
    { finalizers: ["foregroundDeletion"], stalled: "False BeingDeleted", reconciling: "True BeingDeleted" },
  ])("says when it is being deleted and by whom it is held: $finalizers", ({ finalizers, stalled, reconciling }) => {
    const world = new PaperSet(nodes("a")).settle();
    const { object } = world.stored;
    const leaving = new PaperSet(nodes("a"), {
      ...object,
      metadata: { ...Object(object.metadata), finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    expect(ids(leaving.act())).toEqual(["status farrier.dev/v1alpha1 VariantSet storage/agent"]);
    expect(conditions(leaving)).toMatchObject({
      Ready: "False BeingDeleted",
      Stalled: stalled,
      Reconciling: reconciling,
    });
    expect(JSON.stringify(leaving.status)).toContain(`held by: \\"${finalizers[0]}\\"`);
    expect(leaving.plan().steps).toEqual([]);
  });
});

describe("a node that changes", () => {
  test("is handed over: unbound, its old pod gone, bound; and no other node is touched", () => {
    const world = new PaperSet(nodes("a", "b")).settle();
    const before = world.cluster.pods.values().find((pod) => pod.node === "b")?.uid;
    world.change("a", { kernel: OLD });
    const applied = ids(world.act(), "apply");
    expect(applied[0]).toMatch(/^apply apps\/v1 DaemonSet storage\/agent-old-/);
    expect(applied.slice(1)).toEqual(["apply v1 Node a"]);
    expect([world.bindings().a, world.running().length]).toEqual([undefined, 2]);
    // The old pod is still there: nothing may be bound.
    expect(ids(world.plan(), "apply")).toEqual([]);
    world.follow();
    world.settle();
    expect(world.running()).toEqual([`a ${image("old")}`, `b ${image("new")}`]);
    expect(world.cluster.pods.values().find((pod) => pod.node === "b")?.uid).toBe(before);
  });

  test("is not moved before the change has lasted", () => {
    const world = new PaperSet(nodes("a")).settle();
    world.change("a", { kernel: OLD });
    world.youngSinceMs.set("a", world.nowMs);
    const plan = world.plan();
    expect(plan.held).toEqual([{ node: "a", reason: "Settling", because: "its facts changed a moment ago" }]);
    expect(plan.lookAgainAtMs).toBe(world.nowMs + DAMPING_MS);
    world.change("a", { kernel: NEW });
    expect(ids(world.plan(), "apply", "delete")).toEqual([]);
  });

  test("is moved although a label that the set does not read changes all the time", () => {
    const world = new PaperSet(nodes("a")).settle();
    world.edit({ nodeSelector: { matchExpressions: [{ key: "role", operator: "NotIn", values: ["gateway"] }] } });
    world.change("a", { kernel: OLD });
    const young = (_node: string, keys?: readonly string[]) => (keys?.includes("tick") === false ? 0 : world.nowMs);
    Object.assign(world.cluster, { factsSinceMs: young });
    expect(ids(world.plan(), "apply")).toContain("apply v1 Node a");
    const flapping = (_node: string, keys?: readonly string[]) => (keys?.includes("role") === true ? world.nowMs : 0);
    Object.assign(world.cluster, { factsSinceMs: flapping });
    expect(world.plan().held).toMatchObject([{ node: "a", reason: "Settling" }]);
  });

  test("stays where it is while its DaemonSet counts a pod that is not seen: the watch may be deaf", () => {
    const world = new PaperSet(nodes("a")).settle();
    const [pod] = world.cluster.pods.values();
    world.cluster.remove(world.cluster.pods, `storage/${pod?.name}`);
    world.change("a", { kernel: OLD });
    expect(ids(world.act(), "apply").filter((id) => id.includes("Node"))).toEqual([]);
    expect(world.bindings()).toEqual({ a: "new" });
    // The controller has made another one, and both are seen again.
    world.follow();
    world.settle();
    expect([world.bindings(), world.running()]).toEqual([{ a: "old" }, [`a ${image("old")}`]]);
  });

  test("keeps what it has when its kernel cannot be read, and is counted as unknown", () => {
    const world = new PaperSet(nodes("a", "b")).settle();
    world.change("a", { kernel: "corrupted" });
    world.settle();
    expect(world.bindings()).toEqual({ a: "new", b: "new" });
    expect(world.status).toMatchObject({
      nodes: { inScope: 2, fitted: 1, unknown: 1 },
      problems: [{ reason: "FactUnknown", nodes: 1, examples: ["a"] }],
    });
    expect(conditions(world)).toMatchObject({ Ready: "False FactUnknown", Reconciling: "False Succeeded" });
  });

  test("keeps what it has when no variant matches it any more and the default is to hold", () => {
    const world = new PaperSet(nodes("a"), aSetObject({ default: "Hold" })).settle();
    world.edit({ variants: [{ name: "old", match: { kernel: "<5.4" } }] });
    expect(world.settle().running()).toEqual([`a ${image("new")}`]);
    expect(conditions(world)).toMatchObject({ Ready: "False NoVariant", Reconciling: "False Succeeded" });
  });

  test("loses our labels and its pod when it leaves the scope, and keeps those of others", () => {
    const set = aSetObject({ nodeSelector: { matchLabels: { role: "storage" } }, nodeLabel: "example.com/variant" });
    const world = new PaperSet([aNodeObject("a", { labels: { role: "storage", other: "x" } })], set).settle();
    expect(world.labelsOf("a")).toMatchObject({
      "example.com/variant": "new",
      "agent.storage.trace.variant.farrier.dev/set": "true",
    });
    world.change("a", { labels: { other: "x" } });
    world.settle();
    expect([world.labelsOf("a"), world.running()]).toEqual([{ other: "x" }, []]);
    expect(world.status).toMatchObject({ nodes: { inScope: 0, excluded: 1 } });
  });

  test("is left alone under a taint that its pods do not bear: what runs stays, and nothing is moved", () => {
    const world = new PaperSet(nodes("a")).settle();
    world.change("a", { kernel: OLD, taints: [{ key: "dedicated", value: "x", effect: "NoSchedule" }] });
    world.settle();
    expect(world.running()).toEqual([`a ${image("new")}`]);
    expect(world.status).toMatchObject({ nodes: { excluded: 1 }, problems: [{ reason: "TaintNotTolerated" }] });
  });
});

test("nodes with one trouble are grouped by variant and cause, with their number and at most ten of their names", () => {
  const many = (prefix: string, count: number, kernel: string) =>
    Array.from({ length: count }, (_, place) => aNodeObject(`${prefix}${10 + place}`, { kernel }));
  const world = new PaperSet(
    [...many("n", 12, NEW), ...many("o", 3, OLD), ...many("x", 2, "corrupted")],
    aSetObject({ requireImage: true }),
  );
  for (const tag of ["new", "old"]) world.images.set(image(tag), { is: "missing", askedMs: 0 });
  world.settle();
  expect(world.status.problems).toMatchObject([
    { reason: "FactUnknown", nodes: 2, examples: ["x10", "x11"] },
    { variant: "new", reason: "ImageMissing", nodes: 12, examples: { length: 10 } },
    { variant: "old", reason: "ImageMissing", nodes: 3, examples: ["o10", "o11", "o12"] },
  ]);
  expect(Object(world.status.problems)[0]).not.toHaveProperty("variant");
});

describe("an update of the template", () => {
  test("replaces pods one by one, over all variants together", () => {
    const world = new PaperSet([...nodes("a", "b"), aNodeObject("c", { kernel: OLD })]).settle();
    world.edit({ template: { spec: { containers: [{ name: "agent", image: image("base"), args: ["--fast"] }] } } });
    let most = 0;
    world.settle(() => {
      most = Math.max(most, 3 - world.running().length);
    });
    expect(most).toBe(1);
    const args = world.cluster.pods.objects().map((pod) => Object(pod.spec).containers[0].args);
    expect(args).toEqual([["--fast"], ["--fast"], ["--fast"]]);
  });

  test("takes nobody while the set is paused", () => {
    const world = new PaperSet(nodes("a", "b")).settle();
    world.edit({
      updateStrategy: { paused: true },
      variants: [{ name: "new", match: { kernel: ">=5.4" }, images: { agent: image("v2") } }],
    });
    world.settle();
    expect(world.running()).toEqual([`a ${image("new")}`, `b ${image("new")}`]);
    expect(conditions(world)).toMatchObject({ Ready: "False PausedByUser", RolledOut: "False RolloutInProgress" });
    world.edit({ updateStrategy: { paused: false } });
    world.settle();
    expect(world.running()).toEqual([`a ${image("v2")}`, `b ${image("v2")}`]);
  });

  test("of the node selector alone restarts nothing", () => {
    const world = new PaperSet([aNodeObject("a", { labels: { disk: "nvme" } })]).settle();
    const before = world.cluster.pods.values().map(({ uid }) => uid);
    world.edit({ template: { spec: { nodeSelector: { disk: "nvme" } } } });
    world.settle();
    expect(world.cluster.pods.values().map(({ uid }) => uid)).toEqual(before);
    expect(world.status).toMatchObject({ nodes: { fitted: 1 }, variants: [{ updated: 1 }] });
  });
});
