// The defects of the csi-baremetal map, each as the test that it would have failed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stepId } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { Json } from "../../core/json/json.ts";
import { aTemplate } from "../testing/kind-case.ts";
import {
  agentImage,
  aNodeObject,
  aSetObject,
  aVariant,
  boundTo,
  type NodeForm,
  PaperSet,
} from "./testing/paper-set.ts";

describe("defects of csi-baremetal", () => {
  test("D1: versions are compared as numbers, so that 5.12 is newer than 5.4", () => {
    const kernels = {
      a: { kernel: "5.12.13-051213-generic" },
      b: { kernel: "5.4.0-66-generic" },
      c: { kernel: "5.3.18-57" },
    };
    expect(boundTo(kernels)).toEqual({ a: "new", b: "new", c: "old" });
  });

  test("D2: rendering one variant changes neither the set nor another variant, in whichever order", () => {
    const object = frozen(
      aSetObject({
        variants: [
          aVariant("a", { kernel: "4.x" }),
          aVariant("b", { kernel: "5.x" }),
          aVariant("c", { kernel: "6.x" }),
        ],
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
    expect(boundTo(nodes)).toEqual({ a: undefined, b: undefined, c: "new", d: "old" });
  });

  test("D6: of two variants that match, the first in the list wins, whatever the order of nodes", () => {
    const both = { variants: [aVariant("first", { kernel: ">=5.0" }), aVariant("second", { kernel: ">=4.0" })] };
    expect(boundTo({ a: {}, b: { kernel: "4.1.0" } }, both)).toEqual({ a: "first", b: "second" });
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
      const spec = { variants: [aVariant("five", { kernel: "5.x" })], default: {}, onUnknown: policy };
      expect(boundTo({ a: { kernel: "6.1.0" }, b: { kernel: "?" } }, spec)).toEqual({ a: "default", b: has });
    },
  );

  test("D10: kernel and distribution together tell nodes apart", () => {
    const spec = {
      variants: [
        aVariant("sles", { kernel: "5.3.x", os: { id: "sles", version: "15.3" } }),
        aVariant("rest", { kernel: "5.3.x" }),
      ],
    };
    const nodes = {
      a: { kernel: "5.3.18-57-default", osImage: "SUSE Linux Enterprise Server 15 SP3" },
      b: { kernel: "5.3.0-26-generic" },
    };
    expect(boundTo(nodes, spec)).toEqual({ a: "sles", b: "rest" });
  });

  test("D11: an image that the registry does not have is seen in the status, and no node is sent there", () => {
    const world = new PaperSet([aNodeObject("a")], aSetObject({ requireImage: true }));
    world.images.set(agentImage("new"), { is: "missing", askedMs: 0 });
    world.settle();
    expect(world.bindings()).toEqual({ a: undefined });
    expect(world.status).toMatchObject({
      problems: [{ reason: "ImageMissing", message: expect.stringContaining(agentImage("new")), examples: ["a"] }],
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
    const spec = { variants: [aVariant("v", { os: { id, version } })] };
    expect(boundTo({ a: { osImage: os } }, spec)).toEqual({ a: "v" });
  });

  test("D17: a node without labels is a node", () => {
    const node = aNodeObject("a");
    const bare = { ...node, metadata: { name: "a", uid: "uid-a" } };
    expect(new PaperSet([bare]).settle().bindings()).toEqual({ a: "new" });
  });

  test("D18: settings of a pod follow the kernel that its node has now", () => {
    const patch = (flag: string) => ({ spec: { containers: [{ name: "agent", args: [flag] }] } });
    const variants = [
      { ...aVariant("wbt", { kernel: "5.x" }), patch: patch("--wbt") },
      { ...aVariant("plain", { kernel: "4.x" }), patch: patch("--plain") },
    ];
    const world = new PaperSet([aNodeObject("a")], aSetObject({ variants })).settle();
    const args = () => world.cluster.pods.objects().map((pod) => Object(pod.spec).containers[0].args);
    expect(args()).toEqual([["--wbt"]]);
    world.change("a", { kernel: "4.18.0" });
    world.settle();
    expect(args()).toEqual([["--plain"]]);
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
