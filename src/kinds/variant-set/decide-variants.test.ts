// What becomes of the variants of a set: renamed, re-ordered, without nodes, beyond the limit.
import { describe, expect, test } from "vitest";
import { conditions, ids, image, NEW, nodes, OLD } from "./testing/old-and-new.ts";
import { aNodeObject, aSetObject, NOON, PaperSet } from "./testing/paper-set.ts";

describe("variants", () => {
  const renamed = { name: "newer", match: { kernel: ">=5.4" }, images: { agent: image("new") } };
  test("that are renamed hand their nodes over within the budget, and others stay", () => {
    const world = new PaperSet([...nodes("a", "b"), aNodeObject("c", { kernel: OLD })]).settle();
    const before = world.cluster.pods.values().find((pod) => pod.node === "c")?.uid;
    world.edit({ variants: [renamed, { name: "old", match: { kernel: "<5.4" }, images: { agent: image("old") } }] });
    let most = 0;
    world.settle(() => {
      most = Math.max(most, 3 - world.running().length);
    });
    expect([most, world.bindings()]).toEqual([1, { a: "newer", b: "newer", c: "old" }]);
    expect(world.cluster.pods.values().find((pod) => pod.node === "c")?.uid).toBe(before);
  });

  test("that were re-ordered move nobody who gets the same", () => {
    const world = new PaperSet([...nodes("a"), aNodeObject("c", { kernel: OLD })]).settle();
    const variants = Object(world.stored.object.spec).variants;
    world.edit({ variants: [...variants].reverse() });
    expect(ids(world.settle().plan())).toEqual([]);
    expect(world.cluster.pods.values().map(({ createdMs }) => createdMs)).toEqual([NOON, NOON]);
  });

  test("without nodes lose their DaemonSet after the grace period, and not before", () => {
    const world = new PaperSet([...nodes("a"), aNodeObject("c", { kernel: OLD })]).settle();
    world.change("c", { kernel: NEW });
    world.settle();
    expect(world.workloadNames()).toHaveLength(2);
    expect(world.status).toMatchObject({
      variants: [
        { name: "new", deployed: true },
        { name: "old", nodes: 0, deployed: false },
      ],
    });
    const { lookAgainAtMs = 0 } = world.plan();
    expect(lookAgainAtMs).toBeGreaterThanOrEqual(world.nowMs);
    world.nowMs = lookAgainAtMs;
    expect(ids(world.act(), "delete")).toEqual([
      expect.stringMatching(/^delete apps\/v1 DaemonSet storage\/agent-old-/),
    ]);
    world.settle();
    expect(world.workloadNames()).toHaveLength(1);
  });

  test("that get nodes again in the grace period keep their DaemonSet", () => {
    const world = new PaperSet([...nodes("a"), aNodeObject("c", { kernel: OLD })]).settle();
    world.change("c", { kernel: NEW });
    world.settle();
    world.change("c", { kernel: OLD });
    world.settle();
    world.nowMs += 3_600_000;
    world.settle();
    expect(world.running()).toEqual([`a ${image("new")}`, `c ${image("old")}`]);
  });

  test("beyond the number of DaemonSets that a set may have are held, and the message says what to raise", () => {
    const world = new PaperSet(
      [...nodes("a"), aNodeObject("c", { kernel: OLD })],
      aSetObject({ maxVariants: 1 }),
    ).settle();
    expect(world.running()).toEqual([`a ${image("new")}`]);
    const message = expect.stringContaining("spec.maxVariants: 1");
    expect(world.status).toMatchObject({
      nodes: { held: 1 },
      problems: [{ variant: "old", reason: "VariantLimitReached", message, nodes: 1, examples: ["c"] }],
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Stalled", status: "True", reason: "VariantLimitReached", message }),
      ]),
    });
    expect(conditions(world)).toMatchObject({ Ready: "False VariantLimitReached", Reconciling: "False Succeeded" });
    world.edit({ maxVariants: 2 });
    world.settle();
    expect(conditions(world)).toMatchObject({ Ready: "True AllNodesFitted", Stalled: "False Succeeded" });
  });

  test("beyond the limit are not stalled while a DaemonSet that nobody needs leaves its place", () => {
    const world = new PaperSet([aNodeObject("c", { kernel: OLD })], aSetObject({ maxVariants: 1 })).settle();
    world.cluster.put(aNodeObject("c", { kernel: "0", labels: {} }));
    world.cluster.put(aNodeObject("d", { kernel: NEW }));
    world.settle();
    expect(conditions(world)).toMatchObject({ Ready: "False VariantLimitReached", Stalled: "False Succeeded" });
    world.nowMs += 3_600_000;
    expect(world.settle().bindings()).toMatchObject({ d: "new" });
  });
});
