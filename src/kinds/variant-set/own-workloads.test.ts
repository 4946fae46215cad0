// DaemonSets that are not simply those of their labels: a variant that got another name and kept its DaemonSet, and copies that users make.
import { describe, expect, test } from "vitest";
import { stepId } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { aNodeObject, aSetObject, PaperSet } from "./testing/paper-set.ts";

const NEW = "5.14.0-1";
const OLD = "4.18.0-1";
const nodes = (...names: readonly string[]) => names.map((name) => aNodeObject(name, { kernel: NEW }));
const uids = (world: PaperSet) => world.cluster.pods.values().map(({ uid }) => uid);
const variant = (name: string, more: JsonObject = {}): JsonObject => ({
  ...{ name, match: { kernel: ">=5.4" }, images: { agent: "registry.example.com/agent:1" }, daemonSetName: "agent" },
  ...more,
});
const others: JsonObject = { name: "old", match: { kernel: "<5.4" }, daemonSetName: "agent-old" };
const stalled = (world: PaperSet) =>
  Object(world.status.conditions).find(({ type }: { type: string }) => type === "Stalled");
const selectionOf = (world: PaperSet) => {
  const [workload] = world.cluster.workloads.values().filter(({ name }) => name === "agent");
  const { nodeSelector, affinity } = Object(workload?.spec).template.spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  return { nodeSelector, terms };
};

describe("a variant that got another name and kept its daemonSetName", () => {
  const start = (template: JsonObject = {}) => {
    const object = aSetObject({ variants: [variant("five"), others] });
    const world = new PaperSet([...nodes("a", "b", "c"), aNodeObject("d", { kernel: OLD })], object);
    world.edit({ template: { spec: template } });
    return world.settle();
  };

  test("keeps its DaemonSet and all its pods, and its nodes get the label of the new name", () => {
    const world = start();
    const before = uids(world);
    world.edit({ variants: [variant("modern"), others] });
    let fewest = 4;
    world.settle(() => {
      fewest = Math.min(fewest, world.running().length);
    });
    expect([uids(world), fewest]).toEqual([before, 4]);
    expect(world.bindings()).toEqual({ a: "modern", b: "modern", c: "modern", d: "old" });
    expect(world.workloadNames()).toEqual(["agent", "agent-old"]);
    expect(selectionOf(world)).toEqual({ nodeSelector: { [world.nodeLabel]: "modern" }, terms: undefined });
    expect(world.status).toMatchObject({
      nodes: { fitted: 4 },
      variants: [
        { name: "modern", daemonSet: "agent", updated: 3 },
        { name: "old", daemonSet: "agent-old" },
      ],
    });
  });

  test("selects its nodes by both names until the last of them has the new one, also where the template has an affinity", () => {
    const match = { key: "disk", operator: "DoesNotExist" };
    const required = { nodeSelectorTerms: [{ matchExpressions: [match] }] };
    const world = start({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    });
    world.edit({ variants: [variant("modern"), others] });
    world.act();
    const both = { key: world.nodeLabel, operator: "In", values: ["five", "modern"] };
    expect(selectionOf(world)).toEqual({ nodeSelector: {}, terms: [{ matchExpressions: [both, match] }] });
    // Its controller has not seen the change yet: a node with the new label would lose its pod.
    expect(world.plan().steps.filter((step) => stepId(step).includes("Node"))).toEqual([]);
    world.follow();
    expect(
      world
        .plan()
        .steps.map(stepId)
        .filter((id) => id.includes("Node")),
    ).toEqual(["apply v1 Node a", "apply v1 Node b", "apply v1 Node c"]);
    world.settle();
    expect(selectionOf(world)).toEqual({
      nodeSelector: { [world.nodeLabel]: "modern" },
      terms: [{ matchExpressions: [match] }],
    });
  });

  test("has its pods replaced within the budget where more than the name changed", () => {
    const world = start();
    world.edit({ variants: [variant("modern", { images: { agent: "registry.example.com/agent:2" } }), others] });
    let fewest = 4;
    world.settle(() => {
      fewest = Math.min(fewest, world.running().length);
    });
    expect([fewest, world.running()[0]]).toEqual([3, "a registry.example.com/agent:2"]);
  });

  test("may get a third name while its nodes are relabelled, or its old one back", () => {
    const world = start();
    const before = uids(world);
    world.edit({ variants: [variant("modern"), others] });
    world.act();
    world.follow();
    world.edit({ variants: [variant("latest"), others] });
    world.settle();
    expect(world.bindings()).toMatchObject({ a: "latest", b: "latest", c: "latest" });
    world.edit({ variants: [variant("five"), others] });
    world.settle();
    expect([world.bindings().a, uids(world)]).toEqual(["five", before]);
  });

  test("holds a new variant of its old name until no node has that label any more", () => {
    const world = start();
    world.edit({ variants: [variant("modern"), others] });
    world.act();
    const heir = { name: "five", match: { kernel: "<4.20" } };
    world.edit({ variants: [variant("modern"), heir] });
    let most = 0;
    world.settle(() => {
      const places = world.running().map((line) => line.split(" ")[0]);
      most = Math.max(most, places.length - new Set(places).size);
    });
    expect([most, world.bindings()]).toEqual([0, { a: "modern", b: "modern", c: "modern", d: "five" }]);
  });

  test("keeps a node whose kernel cannot be read where it is", () => {
    const world = start();
    const before = uids(world);
    world.change("a", { kernel: "corrupted" });
    world.edit({ variants: [variant("modern"), others] });
    world.settle();
    expect([world.bindings().a, uids(world)]).toEqual(["modern", before]);
  });
});

describe("a DaemonSet of ours that somebody copied under another name, with our owner reference and labels", () => {
  const copied = (daemonSetName?: string) => {
    const { daemonSetName: _none, ...unnamed } = variant("five");
    const variants = [daemonSetName === undefined ? unnamed : variant("five", { daemonSetName })];
    const world = new PaperSet(nodes("a", "b"), aSetObject({ variants })).settle();
    const [object] = world.cluster.workloads.objects();
    const copy = { ...object, metadata: { ...Object(object?.metadata), name: "a-copy", uid: "copy" } };
    world.cluster.put(copy);
    world.follow();
    return world;
  };

  test.each([undefined, "agent"])("is reported with both names and the remedy, and touched by nobody: %s", (name) => {
    const world = copied(name);
    const original = String(world.workloadNames().find((one) => one !== "a-copy"));
    const places = world.cluster.pods.values().map(({ node }) => node);
    expect(places.toSorted()).toEqual(["a", "a", "b", "b"]);
    world.settle();
    expect(stalled(world)).toMatchObject({ status: "True", reason: "SurplusWorkload" });
    expect(stalled(world).message).toContain(`DaemonSet "a-copy" is a copy of "${original}"`);
    expect(stalled(world).message).toContain("delete it");
    expect(world.status).toMatchObject({
      nodes: { held: 2, fitted: 0 },
      problems: [{ variant: "five", reason: "SurplusWorkload", nodes: 2, examples: ["a", "b"] }],
    });
    const told = world.kind.observe(world.cluster, world.stored).explain("a", world.nowMs);
    expect(told?.reason).toBe("SurplusWorkload");
    expect(world.workloadNames()).toContain("a-copy");
    world.cluster.remove(world.cluster.workloads, "storage/a-copy");
    world.settle();
    expect(world.status).toMatchObject({ nodes: { held: 0, fitted: 2 } });
    expect(world.workloadNames()).toEqual([original]);
  });

  test("is waited for when its node is handed over", () => {
    const world = copied("agent");
    world.edit({ variants: [{ ...others, match: { kernel: ">=5.4" } }] });
    world.settle(() => {
      const images = Map.groupBy(world.cluster.pods.values(), ({ node }) => node);
      for (const pods of images.values())
        expect(new Set(pods.map(({ labels }) => labels["farrier.dev/workload"])).size).toBeLessThanOrEqual(1);
    });
    expect(world.bindings()).toEqual({ a: "old", b: "old" });
  });

  test("is the DaemonSet of the variant when the original is gone, and its pods stay", () => {
    const world = copied();
    const [original = ""] = world.workloadNames().filter((one) => one !== "a-copy");
    world.cluster.remove(world.cluster.workloads, `storage/${original}`);
    world.settle();
    expect([world.workloadNames(), world.running().length]).toEqual([["a-copy"], 2]);
    expect(stalled(world)).toMatchObject({ status: "False" });
  });
});

describe("variants that name one DaemonSet, which no webhook has seen", () => {
  const twins = [variant("five"), variant("four", { match: { kernel: "<5.4" } })];
  const fleet = [...nodes("a"), aNodeObject("d", { kernel: OLD })];
  const verdict = (world: PaperSet) => {
    const { nodes: counts, problems, variants } = Object(world.status);
    expect([counts.fitted, counts.held, variants.length]).toEqual([1, 1, 1]);
    expect(problems).toMatchObject([{ reason: "NameConflict", nodes: 1 }]);
    expect(problems[0].message).toContain(
      'DaemonSet "agent" is that of another variant of this set; choose another daemonSetName',
    );
    expect(stalled(world)).toMatchObject({ status: "True", reason: "NameConflict" });
  };

  test("one of them has it, and the nodes of the other are held", () => {
    const world = new PaperSet(fleet, aSetObject({ variants: twins, default: "None" }));
    verdict(world.settle());
    expect(world.workloadNames()).toEqual(["agent"]);
  });

  test("so it is with one that exists and is adopted", () => {
    const selector = { matchLabels: { name: "agent" } };
    const template = { metadata: { labels: { name: "agent" } }, spec: { containers: [] } };
    const world = new PaperSet(fleet, aSetObject({ variants: twins, default: "None" }), [
      {
        ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
        metadata: { name: "agent", namespace: "storage", uid: "before" },
        spec: { selector, template },
      },
    ]);
    verdict(world.settle());
  });

  test("so it is with one whose variant gave way to both", () => {
    const world = new PaperSet(
      fleet,
      aSetObject({ variants: [variant("one", { match: { kernel: ">=1" } })], default: "None" }),
    ).settle();
    world.edit({ variants: twins });
    verdict(world.settle());
  });
});
