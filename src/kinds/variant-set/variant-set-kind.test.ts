import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { aNodeObject, aSetObject, type NodeForm, PaperSet } from "./testing/paper-set.ts";

const NEW = "5.14.0-1";
const OLD = "4.18.0-1";

describe("whom a change of a node concerns", () => {
  const world = new PaperSet([]);
  const label = { [world.nodeLabel]: "new" };
  const rows: readonly (readonly [string, NodeForm, NodeForm, boolean])[] = [
    ["another kernel, on the other side of the line", { kernel: NEW }, { kernel: OLD }, true],
    ["nothing that any rule reads, as with a heartbeat", { kernel: NEW }, { kernel: NEW }, false],
    ["a label that no rule reads", {}, { labels: { other: "x" } }, false],
    ["our own label", { labels: label }, {}, true],
    ["a node that is not ready any more", {}, { isReady: false }, true],
    ["a taint that the pods do not bear", {}, { taints: [{ key: "k", effect: "NoSchedule" }] }, true],
  ];
  test.each(rows)("%s", (_name, was, now, is) => {
    const facts = (form: NodeForm) => parseNodeFacts(aNodeObject("a", form));
    expect(world.kind.concerns(world.stored, facts(was), facts(now))).toBe(is);
  });
  test("the label that tells whose a chosen label is", () => {
    const chosen = new PaperSet([], aSetObject({ nodeLabel: "example.com/variant" }));
    const labels = { "example.com/variant": "new" };
    const whole = aNodeObject("a", { labels: { ...labels, "agent.storage.trace.variant.farrier.dev/set": "true" } });
    const stripped = parseNodeFacts(aNodeObject("a", { labels }));
    expect(chosen.kind.concerns(chosen.stored, parseNodeFacts(whole), stripped)).toBe(true);
  });
  test("a node that comes, goes or is made anew", () => {
    const node = parseNodeFacts(aNodeObject("a"));
    expect(world.kind.concerns(world.stored, undefined, node)).toBe(true);
    expect(world.kind.concerns(world.stored, node, undefined)).toBe(true);
    expect(world.kind.concerns(world.stored, node, { ...node, uid: "another" })).toBe(true);
  });
  test("nobody, when the set breaks a rule: nothing is decided for it", () => {
    const broken = new PaperSet([], aSetObject({ variants: [{ name: "new", match: { kernel: "?" } }] }));
    expect(broken.kind.concerns(broken.stored, undefined, parseNodeFacts(aNodeObject("a")))).toBe(false);
  });
});

describe("what is told of a node", () => {
  const told = (world: PaperSet, node: string) =>
    world.kind.observe(world.cluster, world.stored).explain(node, world.nowMs);
  test("that waits: what it waits for, what it gets and what it runs", () => {
    const world = new PaperSet([aNodeObject("a", { kernel: NEW }), aNodeObject("b", { kernel: NEW })]).settle();
    world.change("a", { kernel: OLD });
    world.change("b", { kernel: OLD });
    expect(told(world, "b")).toMatchObject({
      reason: "BudgetSpent",
      gets: "old",
      runs: "new",
      facts: { label: `${world.nodeLabel}=new` },
    });
    expect(told(world, "a")).toMatchObject({ reason: "Progressing" });
  });
  test("that keeps what it has, or gets nothing", () => {
    const world = new PaperSet([
      aNodeObject("a", { kernel: "corrupted" }),
      aNodeObject("b", { taints: [{ key: "k", effect: "NoExecute" }] }),
      aNodeObject("c", { kernel: NEW }),
    ]).settle();
    world.change("c", { kernel: "corrupted" });
    expect(told(world, "a")).toMatchObject({ reason: "FactUnknown", gets: "", runs: "" });
    expect(told(world, "c")).toMatchObject({ reason: "FactUnknown", gets: "new", runs: "new" });
    expect(told(world, "b")).toMatchObject({ reason: "TaintNotTolerated", gets: "", runs: "" });
  });

  test("that has the label of another set under the same key: it keeps nothing of ours", () => {
    const key = "example.com/variant";
    const object = aNodeObject("a", { kernel: "", labels: { [key]: "theirs" } });
    const world = new PaperSet([object], aSetObject({ nodeLabel: key })).settle();
    expect(told(world, "a")).toMatchObject({ reason: "FactUnknown", gets: "", facts: { label: `${key}=theirs` } });
  });
  test("that is not there: nothing", () => {
    expect(told(new PaperSet([]), "ghost")).toBeUndefined();
  });
});

describe("what stays as it was", () => {
  const uids = (world: PaperSet) => world.cluster.pods.values().map(({ uid }) => uid);
  test("the name of a DaemonSet, when the set asks for another one later", () => {
    const world = new PaperSet([aNodeObject("a")]).settle();
    const [names, pods] = [world.workloadNames(), uids(world)];
    world.edit({
      variants: [
        {
          name: "new",
          match: { kernel: ">=5.4" },
          images: { agent: "registry.example.com/agent:new" },
          daemonSetName: "later",
        },
      ],
    });
    world.settle();
    expect([world.workloadNames(), uids(world)]).toEqual([names, pods]);
  });

  test("all nodes, when somebody takes the node selector from a DaemonSet of ours, which is put right", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b", { kernel: OLD })]).settle();
    const [object] = world.cluster.workloads.objects();
    const spec: JsonObject = Object(object?.spec);
    const template = { ...Object(spec.template), spec: { ...Object(spec.template).spec, nodeSelector: {} } };
    world.cluster.put({ ...object, spec: { ...spec, template } });
    const { steps, held } = world.plan();
    expect(steps.filter((step) => step.do === "apply").map(({ object: { kind } }) => kind)).toEqual(["DaemonSet"]);
    expect(held).toEqual([]);
  });

  test("a node that is being deleted: it is nobody's, and no rollout waits for it", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b")]).settle();
    const [, node = {}] = world.cluster.objects().filter(({ kind }) => kind === "Node");
    world.cluster.put({ ...node, metadata: { ...Object(node.metadata), deletionTimestamp: "2026-01-01T00:00:00Z" } });
    world.settle();
    const rolledOut = Object(world.status.conditions).find(({ type }: { type: string }) => type === "RolledOut");
    expect([rolledOut.status, world.status.nodes]).toMatchObject(["True", { fitted: 1, excluded: 1 }]);
  });
});

test("the status says since when a variant is deployed, and since when it is not", () => {
  const world = new PaperSet([aNodeObject("a"), aNodeObject("b", { kernel: OLD })]).settle();
  const since = () => Object(world.status.variants)[1];
  const before = since();
  world.nowMs += 60_000;
  world.change("a", { isReady: false });
  world.settle();
  expect(since()).toMatchObject({ deployed: true, since: before.since });
  world.change("b", { kernel: NEW });
  world.settle();
  expect(since().deployed).toBe(false);
  expect(since().since > before.since).toBe(true);
});
