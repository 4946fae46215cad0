// Patches by node label: which apply, in which order, and what the pod of a node looks like in the end.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { aContainer, aTemplate } from "../testing/kind-case.ts";
import { parseDaemonSet } from "./api/parse.ts";
import { podBody } from "./pods/pod-body.ts";
import type { Rendered } from "./render.ts";
import { createResolver, type Resolver } from "./resolve.ts";
import { aDaemonSet } from "./testing/cases.ts";

const on = { arePatchesEnabled: true };

function resolverOf(spec: JsonObject, options = on): Resolver {
  const parsed = parseDaemonSet(aDaemonSet(spec));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return createResolver(parsed.value, options);
}

const aNode = (labels: JsonObject = {}, taints: readonly JsonObject[] = [], name = "w-1") =>
  parseNodeFacts({ metadata: { name, labels }, spec: { taints } });

function renderedFor(resolver: Resolver, labels: JsonObject): Rendered {
  const { rendering } = resolver.place(aNode(labels));
  if (!rendering.ok) throw new Error(JSON.stringify(rendering.problems));
  return rendering.value;
}

const env = (name: string, value: string): JsonObject => ({ name, value });
const patchEnv = (labels: JsonObject, value: string, priority = 0): JsonObject => ({
  ...{ selector: { matchLabels: labels }, priority },
  patch: { spec: { containers: [{ name: "agent", env: [env("SIZE", value)] }] } },
});
const envOf = ({ podSpec }: Rendered) => (podSpec as { containers: { env?: unknown }[] }).containers[0]?.env;

/** The seed's first story. */
const nydus = {
  template: aTemplate({ containers: [aContainer("agent", { env: [env("LOCAL_CACHE_SIZE", "500Gi")] })] }),
  patches: [
    {
      selector: { matchLabels: { "node-role/nydus-storage": "large" } },
      patch: {
        spec: {
          containers: [
            { name: "agent", env: [env("LOCAL_CACHE_SIZE", "2Ti"), env("FEATURE_GATE_LARGE_DISK", "true")] },
          ],
        },
      },
    },
  ],
};

describe("patches", () => {
  test("give large disks a large cache and leave the others alone (story 1)", () => {
    const resolver = resolverOf(nydus);
    expect(envOf(renderedFor(resolver, { "node-role/nydus-storage": "large" }))).toEqual([
      ...[env("LOCAL_CACHE_SIZE", "2Ti"), env("FEATURE_GATE_LARGE_DISK", "true")],
    ]);
    expect(envOf(renderedFor(resolver, {}))).toEqual([env("LOCAL_CACHE_SIZE", "500Gi")]);
  });

  test("give GPU nodes their resources, with the limit that the API server asks for (story 2)", () => {
    const amounts = { "nvidia.com/gpu": 1, memory: "2Gi" };
    const patch = (resources: JsonObject) => ({
      selector: { matchLabels: { accelerator: "nvidia-tesla-v100" } },
      patch: { spec: { containers: [{ name: "agent", resources, env: [env("GPU_MONITORING", "enabled")] }] } },
    });
    const gpu = { accelerator: "nvidia-tesla-v100" };
    const resolver = resolverOf({ patches: [patch({ requests: amounts, limits: { "nvidia.com/gpu": 1 } })] });
    expect(renderedFor(resolver, gpu).podSpec).toMatchObject({ containers: [{ resources: { requests: amounts } }] });
    const asWritten = resolverOf({ patches: [patch({ requests: amounts })] });
    expect(asWritten.place(aNode(gpu)).rendering).toMatchObject({
      problems: [{ message: expect.stringContaining("an extended resource needs an equal limit") }],
    });
  });

  test.each<[string, readonly JsonObject[], string, string]>([
    ["the higher priority wins", [patchEnv({ a: "1" }, "high", 5), patchEnv({ a: "1" }, "low")], "1,0", "high"],
    ["of equal ones the later wins", [patchEnv({ a: "1" }, "first"), patchEnv({ a: "1" }, "last")], "0,1", "last"],
    ["one that does not match is left out", [patchEnv({ a: "1" }, "yes"), patchEnv({ a: "2" }, "no")], "0", "yes"],
    ["a negative priority comes first", [patchEnv({ a: "1" }, "zero"), patchEnv({}, "below", -1)], "1,0", "zero"],
  ])("are applied in ascending priority: %s", (_name, patches, places, size) => {
    const rendered = renderedFor(resolverOf({ patches }), { a: "1" });
    expect([rendered.places, envOf(rendered)]).toEqual([places, [env("SIZE", size)]]);
  });

  test("that make the same pod have the same identity, in whatever order their keys stand", () => {
    const patches = [patchEnv({ a: "1" }, "x"), patchEnv({ b: "1" }, "x")];
    const resolver = resolverOf({ patches });
    const hashes = [{ a: "1" }, { b: "1" }, { a: "1", b: "1" }].map((labels) => renderedFor(resolver, labels).hash);
    expect(new Set(hashes).size).toBe(1);
    expect(renderedFor(resolver, {}).hash).not.toBe(hashes[0]);
  });

  test("are rendered once per class of nodes, without changing the template or the patches that classes share", () => {
    const spec = deepFrozen({ ...nydus, patches: [...nydus.patches, patchEnv({ a: "1" }, "1")] });
    const resolver = resolverOf(spec);
    const large = { "node-role/nydus-storage": "large" };
    const rendered = deepFrozen(renderedFor(resolver, large));
    expect(renderedFor(resolver, { ...large, b: "1" })).toBe(rendered);
    expect(renderedFor(resolver, { ...large, a: "1" }).hash).not.toBe(rendered.hash);
  });

  test("are told apart and checked as if each class were the first", () => {
    const labels = fc.subarray(["a", "b", "c", "d"]).map((keys) => Object.fromEntries(keys.map((key) => [key, "1"])));
    const patches = [
      ...[patchEnv({ a: "1" }, "1"), patchEnv({ b: "1" }, "2")],
      {
        selector: { matchLabels: { c: "1" } },
        patch: { spec: { containers: [{ name: "agent", image: "NO IMAGE" }] } },
      },
      { selector: { matchLabels: { d: "1" } }, patch: { spec: { tolerations: [{ operator: "Exists" }] } } },
    ];
    const spec = { template: nydus.template, patches };
    const shared = resolverOf(spec);
    fc.assert(
      fc.property(labels, (chosen) => {
        const [again, first] = [shared, resolverOf(spec)].map((resolver) => resolver.place(aNode(chosen)).rendering);
        expect(again).toEqual(first);
        expect(again?.ok).toBe(chosen.c === undefined);
      }),
    );
  });

  test("that cannot be used hold only the nodes that they match, and make no pod without them", () => {
    const bad = {
      selector: { matchLabels: { a: "1" } },
      patch: { spec: { containers: [{ name: "nobody", args: ["x"] }] } },
    };
    const resolver = resolverOf({ patches: [bad] });
    const placement = resolver.place(aNode({ a: "1" }));
    expect(placement).toMatchObject({ shouldRun: true, shouldContinueRunning: true, rendering: { ok: false } });
    expect(resolver.place(aNode({}))).toMatchObject({ shouldRun: true, rendering: { ok: true } });
    expect(resolver.explain(aNode({ a: "1" }))).toMatchObject({ outcome: "unfit", reason: "PatchRejected" });
  });

  test("are judged together as well: two that are fine alone may not be", () => {
    const withFrom = { name: "SIZE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } };
    const from = { spec: { containers: [{ name: "agent", env: [withFrom] }] } };
    const patches = [patchEnv({ a: "1" }, "x"), { selector: { matchLabels: { b: "1" } }, patch: from }];
    const resolver = resolverOf({ patches });
    expect(resolver.place(aNode({ b: "1" })).rendering.ok).toBe(true);
    expect(resolver.place(aNode({ a: "1", b: "1" })).rendering).toMatchObject({
      problems: [{ path: "spec.patches", message: expect.stringContaining("with patches 0,1 applied in this order") }],
    });
  });

  test("count for eligibility with their tolerations", () => {
    const taint = { key: "gpu", value: "yes", effect: "NoSchedule" };
    const patch = { spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } };
    const resolver = resolverOf({ patches: [{ selector: { matchLabels: { gpu: "1" } }, patch }] });
    expect(resolver.place(aNode({ gpu: "1" }, [taint]))).toMatchObject({ shouldRun: true });
    expect(resolver.place(aNode({}, [taint]))).toMatchObject({ shouldRun: false, shouldContinueRunning: true });
    expect(resolver.explain(aNode({}, [taint]))).toMatchObject({ outcome: "unfit", reason: "TaintNotTolerated" });
  });

  test("are left out altogether while the gate is off", () => {
    const resolver = resolverOf({ patches: [patchEnv({}, "x")] }, { arePatchesEnabled: false });
    expect(renderedFor(resolver, {})).toMatchObject({ places: "" });
    expect(resolver.explain(aNode({})).trail[0]).toMatchObject({ matched: false, because: "patches are switched off" });
  });

  test("do not depend on the order in which nodes are asked", () => {
    const patches = [patchEnv({ a: "1" }, "x", 3), patchEnv({ b: "1" }, "y"), patchEnv({ c: "1" }, "z", -2)];
    const labels = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 12 }), (fleet) => {
        const hashesOf = (keys: readonly string[][]) => {
          const resolver = resolverOf({ patches });
          return keys.map((each) => renderedFor(resolver, Object.fromEntries(each.map((key) => [key, "1"]))).hash);
        };
        expect(hashesOf(fleet.toReversed()).toReversed()).toEqual(hashesOf(fleet));
      }),
      { numRuns: 50 },
    );
  });
});

describe("the update strategy", () => {
  test("names the nodes that may be updated by their labels", () => {
    const selector = { matchLabels: { canary: "yes" } };
    const resolver = resolverOf({ updateStrategy: { rollingUpdate: { selector } } });
    expect(resolver.place(aNode({ canary: "yes" })).isCandidate).toBe(true);
    expect(resolver.place(aNode({})).isCandidate).toBe(false);
  });

  test("adds the gate of updates in place once, and the identity of the template stays", () => {
    const updateStrategy = { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible" } };
    const gates = [{ conditionType: "InPlaceUpdateReady" }];
    const plain = renderedFor(resolverOf({}), {});
    const gated = renderedFor(resolverOf({ updateStrategy }), {});
    expect(gated.podSpec.readinessGates).toEqual(gates);
    expect(gated.hash).toBe(plain.hash);
    const template = aTemplate({ readinessGates: gates });
    expect(renderedFor(resolverOf({ updateStrategy, template }), {}).podSpec.readinessGates).toEqual(gates);
  });
});

describe("podBody()", () => {
  const stored = (metadata: JsonObject = {}) => {
    const object = aDaemonSet({});
    const named = { ...object, metadata: { ...(object.metadata as JsonObject), uid: "set-uid", ...metadata } };
    return { ...objectIdentity(named), object: named };
  };
  const order = (node: string, labels: JsonObject = {}) => ({
    ...{ set: stored(), name: `agent-${node}`, node, revision: "r1", binding: "scheduler" as const },
    rendered: renderedFor(resolverOf({ patches: [patchEnv({ a: "1" }, "x")] }), labels),
  });

  test("pins the pod to its node, owns it, and records what it was made of", () => {
    const { rendered } = order("w-1", { a: "1" });
    expect(podBody(order("w-1", { a: "1" }))).toMatchObject({
      metadata: {
        name: "agent-w-1",
        labels: {
          ...{ app: "agent", "controller-revision-hash": "r1" },
          "daemonset.kruise.io/patch-combined-hash": rendered.hash,
        },
        annotations: { "daemonset.kruise.io/applied-patches": "0" },
        ownerReferences: [
          { apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", uid: "set-uid", controller: true },
        ],
      },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["w-1"] }] }],
            },
          },
        },
      },
    });
  });

  test("binds the pod itself where the scheduler should not", () => {
    expect(podBody({ ...order("w-1"), binding: "nodeName" }).spec).toMatchObject({
      ...{ nodeName: "w-1", schedulerName: "kubernetes.io/daemonset-controller" },
    });
  });

  test("gives the same bytes for the same order", () => {
    expect(podBody(order("w-1"))).toEqual(podBody(order("w-1")));
  });

  test("leaves alone what it is made of", () => {
    expect(podBody(deepFrozen(order("w-1", { a: "1" })))).toEqual(podBody(order("w-1", { a: "1" })));
  });

  test("shares what nodes have in common and not what they have for themselves", () => {
    const shared = order("w-1");
    const specOf = (node: string) => podBody({ ...shared, node }).spec as JsonObject;
    expect(specOf("w-1").containers).toBe(specOf("w-2").containers);
    expect(specOf("w-1").affinity).not.toEqual(specOf("w-2").affinity);
  });

  test("numbers the template for old clients, if the set does", () => {
    const withGeneration = (value: string) => {
      const set = stored({ annotations: { "deprecated.daemonset.template.generation": value } });
      return podBody({ ...order("w-1"), set }).metadata.labels;
    };
    expect(withGeneration("7")).toMatchObject({ "pod-template-generation": "7" });
    expect(withGeneration("seven")).not.toHaveProperty("pod-template-generation");
  });
});

/** Whoever writes to what is frozen throws. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(Object.freeze(value))) deepFrozen(part);
  return value;
}
