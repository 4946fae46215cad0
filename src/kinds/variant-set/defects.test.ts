// The defects of the csi-baremetal map and the bug classes of its peers, each as the test that it would have failed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { stepId } from "../../core/step.ts";
import { aTemplate } from "../kind-case.ts";
import { aNodeObject, aSetObject, type NodeForm, PaperSet } from "./paper-set.ts";

const image = (tag: string) => `registry.example.com/agent:${tag}`;
const variant = (name: string, match: JsonObject): JsonObject => ({ name, match, images: { agent: image(name) } });
const bound = (nodes: Readonly<Record<string, NodeForm>>, spec: JsonObject = {}) =>
  new PaperSet(
    Object.entries(nodes).map(([name, form]) => aNodeObject(name, form)),
    aSetObject(spec),
  )
    .settle()
    .bindings();

describe("defects of csi-baremetal", () => {
  test("D1: versions are compared as numbers, so that 5.12 is newer than 5.4", () => {
    const kernels = {
      a: { kernel: "5.12.13-051213-generic" },
      b: { kernel: "5.4.0-66-generic" },
      c: { kernel: "5.3.18-57" },
    };
    expect(bound(kernels)).toEqual({ a: "new", b: "new", c: "old" });
  });

  test("D2: rendering one variant changes neither the set nor another variant, in whichever order", () => {
    const object = frozen(
      aSetObject({
        variants: [variant("a", { kernel: "4.x" }), variant("b", { kernel: "5.x" }), variant("c", { kernel: "6.x" })],
      }),
    );
    const kernels = ["4.1.0", "5.1.0", "6.1.0"];
    const rendered = (order: readonly number[]) => {
      const nodes = order.map((place) => frozen(aNodeObject(`n${place}`, { kernel: kernels[place] ?? "" })));
      const applied = new PaperSet(nodes, object).plan().steps.filter((step) => step.do === "apply");
      return applied.map((step) => canonicalJson(step.object)).sort();
    };
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ])
      expect(rendered(order)).toEqual(rendered([0, 1, 2]));
  });

  test("D3: a node that is as it should be is not written, however often we look", () => {
    const world = new PaperSet([aNodeObject("a")]).settle();
    for (let look = 0; look < 3; look++) expect(world.act().steps).toEqual([]);
  });

  test("D4: a DaemonSet without nodes is deleted", () => {
    const world = new PaperSet(
      [aNodeObject("a"), aNodeObject("b", { kernel: "4.1.0" })],
      aSetObject({ prune: { after: "1m" } }),
    ).settle();
    world.change("b", { kernel: "5.14.0" });
    world.settle();
    world.nowMs += 61_000;
    expect(world.settle().workloadNames()).toHaveLength(1);
  });

  test("D5: a node that nobody can read stops nobody else", () => {
    const nodes = {
      a: { kernel: "corrupted_version" },
      b: { kernel: "" },
      c: { kernel: "5.14.0" },
      d: { kernel: "4.1.0" },
    };
    expect(bound(nodes)).toEqual({ a: undefined, b: undefined, c: "new", d: "old" });
  });

  test("D6: of two variants that match, the first in the list wins, whatever the order of nodes", () => {
    const both = { variants: [variant("first", { kernel: ">=5.0" }), variant("second", { kernel: ">=4.0" })] };
    expect(bound({ a: {}, b: { kernel: "4.1.0" } }, both)).toEqual({ a: "first", b: "second" });
  });

  test("D7: our label leaves a node with the scope, with a changed selector, and with the set", () => {
    const labels = { role: "storage" };
    const inScope = aSetObject({ nodeSelector: { matchLabels: labels } });
    const world = new PaperSet([aNodeObject("a", { labels }), aNodeObject("b", { labels })], inScope).settle();
    world.cluster.put(aNodeObject("a", { labels: { [world.nodeLabel]: "new" } }));
    world.settle();
    expect(world.bindings()).toEqual({ a: undefined, b: "new" });
    world.edit({ nodeSelector: { matchLabels: { role: "other" } } });
    world.settle();
    expect(world.bindings()).toEqual({ a: undefined, b: undefined });
    world.edit({ nodeSelector: { matchLabels: labels } });
    expect(world.settle().bindings()).toEqual({ a: undefined, b: "new" });
    for (const step of world.kind.traces?.clear(world.cluster, world.stored).steps ?? [])
      world.cluster.perform(step, world.nowMs);
    expect(world.bindings()).toEqual({ a: undefined, b: undefined });
  });

  test("D8: DaemonSets of two variants never select the same pods", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b", { kernel: "4.1.0" })]).settle();
    const selectors = world.cluster.workloads.values().map(({ spec }) => canonicalJson(spec.selector ?? null));
    expect(new Set(selectors).size).toBe(2);
  });

  test.each([
    { policy: "Hold", has: undefined },
    { policy: "None", has: undefined },
    { policy: "Default", has: "default" },
  ])(
    "D9: a kernel beyond the last rule takes none of them, and an unreadable one follows onUnknown: $policy",
    ({ policy, has }) => {
      const spec = { variants: [variant("five", { kernel: "5.x" })], default: {}, onUnknown: policy };
      expect(bound({ a: { kernel: "6.1.0" }, b: { kernel: "?" } }, spec)).toEqual({ a: "default", b: has });
    },
  );

  test("D10: kernel and distribution together tell nodes apart", () => {
    const spec = {
      variants: [
        variant("sles", { kernel: "5.3.x", os: { id: "sles", version: "15.3" } }),
        variant("rest", { kernel: "5.3.x" }),
      ],
    };
    const nodes = {
      a: { kernel: "5.3.18-57-default", osImage: "SUSE Linux Enterprise Server 15 SP3" },
      b: { kernel: "5.3.0-26-generic" },
    };
    expect(bound(nodes, spec)).toEqual({ a: "sles", b: "rest" });
  });

  test("D11: an image that the registry does not have is seen in the status, and no node is sent there", () => {
    const world = new PaperSet([aNodeObject("a")], aSetObject({ requireImage: true }));
    world.images.set(image("new"), { is: "missing", askedMs: 0 });
    world.settle();
    expect(world.bindings()).toEqual({ a: undefined });
    expect(world.status).toMatchObject({
      problems: [{ reason: "ImageMissing", message: expect.stringContaining(image("new")), examples: ["a"] }],
    });
  });

  test("D12: the status tells how many nodes each variant has, and explain() tells why one has its own", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b")]).settle();
    expect(world.status).toMatchObject({
      variants: [{ name: "new", nodes: 2, desired: 2, ready: 2, updated: 2, deployed: true }],
    });
    const told = world.kind.observe(world.cluster, world.stored).explain("a", world.nowMs);
    expect(told).toMatchObject({
      reason: "Fitted",
      gets: "new",
      runs: "new",
      because: expect.stringContaining("5.14.0"),
    });
    expect(told?.trail.map(({ rule }) => rule)).toEqual(["nodeSelector", 'variants["new"]']);
  });

  test("D13: a node is written by applying our labels alone, for the very node that was seen", () => {
    const [step] = new PaperSet([aNodeObject("a", { labels: { other: "x" } })])
      .plan()
      .steps.filter((one) => one.do === "apply" && one.object.kind === "Node");
    const metadata = { name: "a", uid: "uid-a", labels: { "variant.farrier.dev/storage.agent": "new" } };
    expect(step).toMatchObject({ object: { apiVersion: "v1", kind: "Node", metadata } });
  });

  test("D14: one budget counts over all variants", () => {
    const nodes = ["a", "b", "c", "d"].map((name, place) =>
      aNodeObject(name, { kernel: place < 2 ? "5.14.0" : "4.1.0" }),
    );
    const world = new PaperSet(nodes).settle();
    world.edit({ template: aTemplate({ priorityClassName: "x" }) });
    world.act();
    world.follow();
    expect(
      world
        .plan()
        .steps.filter(({ do: does }) => does === "delete")
        .map(stepId),
    ).toHaveLength(1);
    expect(world.plan().held.map(({ reason }) => reason)).toEqual(["BudgetSpent", "BudgetSpent", "BudgetSpent"]);
  });

  test("D15: while the old pod is on the node, nothing new is bound", () => {
    const world = new PaperSet([aNodeObject("a")]).settle();
    world.change("a", { kernel: "4.1.0" });
    world.act();
    expect(world.plan().held).toEqual([{ node: "a", reason: "HandOver", because: 'a pod of "new" is still on it' }]);
  });

  test.each([
    { os: "Red Hat Enterprise Linux CoreOS 9.6.20250916-0 (Plow)", id: "rhcos", version: ">=9.6" },
    { os: "SUSE Linux Enterprise Server 15 SP3", id: "sles", version: "15.3" },
    { os: "Debian GNU/Linux 12 (bookworm)", id: "debian", version: "12" },
  ])("D16: $os is $id $version", ({ os, id, version }) => {
    const spec = { variants: [variant("v", { os: { id, version } })] };
    expect(bound({ a: { osImage: os } }, spec)).toEqual({ a: "v" });
  });

  test("D17: a node without labels is a node", () => {
    const node = aNodeObject("a");
    const bare = { ...node, metadata: { name: "a", uid: "uid-a" } };
    expect(new PaperSet([bare]).settle().bindings()).toEqual({ a: "new" });
  });

  test("D18: settings of a pod follow the kernel that its node has now", () => {
    const patch = (flag: string) => ({ spec: { containers: [{ name: "agent", args: [flag] }] } });
    const variants = [
      { ...variant("wbt", { kernel: "5.x" }), patch: patch("--wbt") },
      { ...variant("plain", { kernel: "4.x" }), patch: patch("--plain") },
    ];
    const world = new PaperSet([aNodeObject("a")], aSetObject({ variants })).settle();
    const args = () => world.cluster.pods.objects().map((pod) => Object(pod.spec).containers[0].args);
    expect(args()).toEqual([["--wbt"]]);
    world.change("a", { kernel: "4.18.0" });
    world.settle();
    expect(args()).toEqual([["--plain"]]);
  });
});

describe("bug classes of peers", () => {
  test("aliasing: what one variant changes is in no other, nor in the template", () => {
    const withArgs = (name: string, kernel: string) => ({
      ...variant(name, { kernel }),
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
    const spec = { variants: [variant("late", { kernel: ">=5.10" })], default: {} };
    const nodes = { a: { kernel: "5.9.0" }, b: { kernel: "5.10.0" }, c: { kernel: "10.0.0" } };
    expect(bound(nodes, spec)).toEqual({ a: "default", b: "late", c: "late" });
    const os = { variants: [variant("late", { os: { id: "debian", version: ">=9" } })], default: {} };
    const images = { a: { osImage: "Debian GNU/Linux 12 (bookworm)" }, b: { osImage: "Debian GNU/Linux 8 (jessie)" } };
    expect(bound(images, os)).toEqual({ a: "late", b: "default" });
  });

  test("the first node decides: each of a mixed fleet gets its own, whichever comes first", () => {
    const nodes = { a: { kernel: "4.18.0" }, b: { kernel: "5.14.0" }, c: { kernel: "4.18.0" } };
    expect(bound(nodes)).toEqual({ a: "old", b: "new", c: "old" });
    const world = new PaperSet([aNodeObject("b")]).settle();
    world.cluster.put(aNodeObject("a", { kernel: "4.18.0" }));
    expect(world.settle().bindings()).toEqual({ a: "old", b: "new" });
  });

  test("one bad node: a label that cannot be rendered or read holds that node alone", () => {
    const spec = {
      variants: [{ ...variant("all", { arch: "amd64" }), images: { agent: image("$KERNEL_FULL_VERSION") } }],
    };
    expect(bound({ a: { kernel: "" }, b: { kernel: "5.14.0" } }, spec)).toMatchObject({ a: undefined });
    expect(bound({ a: { kernel: "" }, b: { kernel: "5.14.0" } }, spec).b).toBeDefined();
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

const forms: fc.Arbitrary<NodeForm> = fc.record({
  kernel: fc.constantFrom("4.18.0", "5.3.18", "5.12.0", "6.1.0", "corrupted", ""),
  labels: fc.constantFrom({}, { role: "storage" }),
  isReady: fc.boolean(),
});

test("I2: what nodes get depends on them and the set alone, not on their order, and performing the plan leaves nothing to do", () => {
  fc.assert(
    fc.property(fc.array(forms, { minLength: 1, maxLength: 6 }), fc.boolean(), (all, hasDefault) => {
      const nodes = all.map((form, place) => aNodeObject(`n${place}`, form));
      const set = aSetObject({
        nodeSelector: { matchLabels: { role: "storage" } },
        ...(hasDefault ? { default: {} } : {}),
      });
      const there = new PaperSet(nodes, set);
      const back = new PaperSet([...nodes].reverse(), set);
      expect(there.plan()).toEqual(back.plan());
      expect(there.settle().bindings()).toEqual(back.settle().bindings());
      const { inScope = 0, fitted = 0, held = 0, unknown = 0, none = 0, excluded = 0 } = Object(there.status.nodes);
      expect([inScope, inScope + excluded]).toEqual([fitted + held + unknown + none, all.length]);
    }),
    { numRuns: 60 },
  );
});

/** Throws where somebody writes to it. */
function frozen<T extends Json>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}
