// The bug classes that several projects with variants per node have had, each as the test that it would have failed. The names are those
// of the list of recurring classes; teardown on a new kernel is I13 in invariants.test.ts.
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/json/json.ts";
import { agentImage, aNodeObject, aSetObject, aVariant, boundTo, PaperSet } from "./testing/paper-set.ts";

describe("bug classes of peers", () => {
  test("aliasing: what one variant changes is in no other, nor in the template", () => {
    const withArgs = (name: string, kernel: string) => ({
      ...aVariant(name, { kernel }),
      patch: { spec: { containers: [{ name: "agent", args: [name], env: [{ name: "V", value: name }] }] } },
    });
    const object = frozen(aSetObject({ variants: [withArgs("a", "4.x"), withArgs("b", "5.x")], default: {} }));
    const kernels = ["4.1.0", "5.1.0", "6.1.0"];
    const world = new PaperSet(
      kernels.map((kernel, place) => aNodeObject(`n${place}`, { kernel })),
      object,
    ).settle();
    const containers = world.cluster.pods.objects().map((pod) => Object(pod.spec).containers[0]);
    expect(containers.map(({ args, env }) => [args?.[0], env?.[0].value])).toEqual([
      ["a", "a"],
      ["b", "b"],
      [undefined, undefined],
    ]);
  });

  test("versions as text: 5.10 is newer than 5.9, and 10.x is newer than 9.x", () => {
    const spec = { variants: [aVariant("late", { kernel: ">=5.10" })], default: {} };
    const nodes = { a: { kernel: "5.9.0" }, b: { kernel: "5.10.0" }, c: { kernel: "10.0.0" } };
    expect(boundTo(nodes, spec)).toEqual({ a: "default", b: "late", c: "late" });
    const os = { variants: [aVariant("late", { os: { id: "debian", version: ">=9" } })], default: {} };
    const images = { a: { osImage: "Debian GNU/Linux 12 (bookworm)" }, b: { osImage: "Debian GNU/Linux 8 (jessie)" } };
    expect(boundTo(images, os)).toEqual({ a: "late", b: "default" });
  });

  test("the first node decides: each of a mixed fleet gets its own, whichever comes first", () => {
    const nodes = { a: { kernel: "4.18.0" }, b: { kernel: "5.14.0" }, c: { kernel: "4.18.0" } };
    expect(boundTo(nodes)).toEqual({ a: "old", b: "new", c: "old" });
    const world = new PaperSet([aNodeObject("b")]).settle();
    world.cluster.put(aNodeObject("a", { kernel: "4.18.0" }));
    expect(world.settle().bindings()).toEqual({ a: "old", b: "new" });
  });

  test("one bad node: a label that cannot be rendered or read holds that node alone", () => {
    const spec = {
      variants: [{ ...aVariant("all", { arch: "amd64" }), images: { agent: agentImage("$KERNEL_FULL_VERSION") } }],
    };
    expect(boundTo({ a: { kernel: "" }, b: { kernel: "5.14.0" } }, spec)).toMatchObject({ a: undefined });
    expect(boundTo({ a: { kernel: "" }, b: { kernel: "5.14.0" } }, spec).b).toBeDefined();
  });

  test("desired 0 as a proof: a DaemonSet whose nodes are all tainted keeps its nodes and stays", () => {
    const world = new PaperSet([aNodeObject("a")], aSetObject({ prune: { after: "0s" } })).settle();
    world.change("a", { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] });
    world.settle();
    world.nowMs += 3_600_000;
    expect([world.settle().bindings().a, world.workloadNames().length]).toEqual(["new", 1]);
  });

  test("two variants at a hand-over: at no moment has a node pods of both", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b")]).settle();
    world.change("a", { kernel: "4.1.0" });
    world.change("b", { kernel: "4.1.0" });
    const seen: number[] = [];
    world.settle(() => {
      const byNode = Map.groupBy(world.cluster.pods.values(), ({ node }) => node);
      for (const pods of byNode.values()) seen.push(new Set(pods.map(({ controllerUid }) => controllerUid)).size);
    });
    expect([Math.max(...seen), world.bindings()]).toEqual([1, { a: "old", b: "old" }]);
  });

  test("a label that flaps: it is gone for a moment, and no pod is", () => {
    const labels = { role: "storage" };
    const spec = aSetObject({ nodeSelector: { matchLabels: labels } });
    const world = new PaperSet([aNodeObject("a", { labels })], spec).settle();
    const [pod] = world.cluster.pods.values();
    world.change("a", {});
    world.youngSinceMs.set("a", world.nowMs);
    world.act();
    world.follow();
    world.change("a", { labels });
    world.settle();
    expect(world.cluster.pods.values().map(({ uid }) => uid)).toEqual([pod?.uid]);
  });

  test("two writers of a status: a condition of somebody else stays, and nobody writes in turn", () => {
    const world = new PaperSet([aNodeObject("a")]).settle();
    const foreign = { type: "example.com/Audited", status: "True" };
    const { object } = world.stored;
    const status = { ...world.status, conditions: [...Object(world.status.conditions), foreign] };
    const beside = world.kind.observe(world.cluster, { ...world.stored, object: { ...object, status } });
    expect(beside.decide(world.nowMs).plan.steps).toEqual([]);
  });

  test("objects renamed by an upgrade: another version of the operator finds what this one made", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b", { kernel: "4.1.0" })]).settle();
    expect(world.workloadNames()).toEqual(["agent-new-5k2294psr5g6ttxb8bkk4r7s", "agent-old-mvb8vq6rhzq82d9xhkwnfj2r"]);
  });

  test("upgrades that roll the fleet: a new process with an unchanged set has nothing to do", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b", { kernel: "4.1.0" })]).settle();
    const next = new PaperSet(
      world.cluster.nodes.map(({ name }) => aNodeObject(name)),
      world.stored.object,
    );
    expect(next.kind.observe(world.cluster, world.stored).decide(world.nowMs).plan).toEqual({ steps: [], held: [] });
  });

  test("undoing a cordon: nodes that take no pods are fitted, and stay cordoned", () => {
    const node = aNodeObject("a", { taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] });
    const world = new PaperSet([{ ...node, spec: { ...Object(node.spec), unschedulable: true } }]).settle();
    expect([world.bindings().a, world.cluster.nodes[0]?.isUnschedulable]).toEqual(["new", true]);
  });

  test("desired 0 as a proof: a fresh DaemonSet that wants no pods yet is not taken for an unused one", () => {
    const world = new PaperSet([aNodeObject("a")], aSetObject({ prune: { after: "0s" } }));
    world.act();
    expect(world.act().steps.filter(({ do: does }) => does === "delete")).toEqual([]);
    expect(world.settle().running()).toHaveLength(1);
  });

  test("oscillation: nothing is made and deleted in turn when a variant has no nodes", () => {
    const world = new PaperSet([aNodeObject("a")], aSetObject({ prune: { after: "0s" } })).settle();
    const names = world.workloadNames();
    for (let look = 0; look < 5; look++) expect(world.settle().workloadNames()).toEqual(names);
  });
});

/** Throws where somebody writes to it. */
function frozen<T extends Json>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}
