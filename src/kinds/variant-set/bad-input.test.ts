// Input that is bad in a way that one would try: what the definition says of it, what admission says, and what becomes of an object that
// is stored all the same. Each message names the field, the value and the remedy.
import { beforeAll, describe, expect, test } from "vitest";
import { aServer, call } from "../../../sim/api-server/testing/plain-kinds.ts";
import { stepId } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { customResourceDefinition } from "../schema/crd.ts";
import { aTemplate, many } from "../testing/kind-case.ts";
import { variantSetCrd } from "./api/crd.ts";
import { validateVariantSet } from "./api/validate.ts";
import { aNodeObject, aSetObject, PaperSet } from "./testing/paper-set.ts";

const server = aServer();
beforeAll(async () => {
  const definition = customResourceDefinition(variantSetCrd);
  await call(server.transport, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
});

async function storing(
  object: JsonObject,
  name: string,
): Promise<{ readonly status: number; readonly message: string }> {
  const metadata = { name, namespace: "default" };
  const path = "/apis/farrier.dev/v1alpha1/namespaces/default/variantsets";
  const { status, body } = await call(server.transport, "POST", path, { ...object, metadata });
  return { status, message: String(body.message ?? "") };
}

type Bad = {
  readonly what: string;
  readonly spec: JsonObject;
  /** What the definition says; undefined where a schema has no words for it, and admission and reconcile must. */
  readonly schemaSays: string | undefined;
  readonly field: string;
  /** The value, and what to do. */
  readonly says: readonly string[];
};

const refusedInput: readonly Bad[] = [
  {
    what: "unknown grammar",
    spec: { variants: [{ name: "one", match: { kernel: "5.4*" } }] },
    schemaSays: undefined,
    field: "spec.variants[0].match.kernel",
    says: ['"5.4*"', "5.4.*"],
  },
  {
    what: "1,000 variants",
    spec: { variants: many(1_000, (at) => ({ name: `v${at}`, match: { kernel: `${at}.x` } })) },
    schemaSays: "spec.variants: Too many: 1000: must have at most 64 items",
    field: "spec.variants",
    says: ["has 1000 entries; at most 64"],
  },
  {
    what: "a label key of Kubernetes",
    spec: { default: {}, nodeLabel: "kubernetes.io/hostname" },
    schemaSays: "belongs to Kubernetes; choose a key of your own",
    field: "spec.nodeLabel",
    says: ['"kubernetes.io/hostname" belongs to Kubernetes', "leave the field out to use variant.farrier.dev/"],
  },
  {
    what: "a label key of another set",
    spec: { default: {}, nodeLabel: "variant.farrier.dev/storage.other" },
    schemaSays: undefined,
    field: "spec.nodeLabel",
    says: ['"variant.farrier.dev/storage.other" belongs to another VariantSet', "leave the field out"],
  },
  {
    what: "a patch that sets the label by which pods are selected",
    spec: {
      variants: [
        { name: "one", match: { arch: "amd64" }, patch: { metadata: { labels: { "farrier.dev/workload": null } } } },
      ],
    },
    schemaSays: undefined,
    field: 'spec.variants[0].patch.metadata.labels["farrier.dev/workload"]',
    says: ["is not the patch's to set"],
  },
];

describe.each(refusedInput)("$what", ({ what, spec, schemaSays, field, says }) => {
  const object = aSetObject(spec);
  test("the definition", async () => {
    const { status, message } = await storing(object, what.replaceAll(/[^a-z0-9]+/g, "-"));
    expect([status, message]).toEqual(
      schemaSays === undefined ? [201, ""] : [422, expect.stringContaining(schemaSays)],
    );
  });

  test("admission", () => {
    const problem = validateVariantSet(object).problems.find(({ path }) => path === field);
    for (const words of says) expect(problem?.message).toContain(words);
  });

  test("reconcile: what is there stays, and the status says why", () => {
    const world = new PaperSet([aNodeObject("a")]).settle();
    const [bindings, running] = [world.bindings(), world.running()];
    world.edit({ default: null, nodeLabel: null, ...spec });
    expect(world.act().steps.map(stepId)).toEqual(["status farrier.dev/v1alpha1 VariantSet storage/agent"]);
    expect([world.cluster.nodes[0]?.labels["variant.farrier.dev/storage.agent"], world.running()]).toEqual([
      bindings.a,
      running,
    ]);
    const stalled = Object(world.status.conditions).find(({ type }: { type: string }) => type === "Stalled");
    expect(stalled).toMatchObject({ status: "True", reason: "InvalidSpec" });
    for (const words of [field, ...says]) expect(stalled.message).toContain(words);
  });
});

describe("overlapping ranges", () => {
  const variants = [
    { name: "one", match: { kernel: "4.18-5.10" }, images: { agent: "registry.example.com/agent:one" } },
    { name: "two", match: { kernel: "5.4-6.1" }, images: { agent: "registry.example.com/agent:two" } },
  ];
  test("the definition takes them", async () => {
    expect(await storing(aSetObject({ variants }), "overlapping")).toEqual({ status: 201, message: "" });
  });
  test("admission warns with both ranges, their variants and the remedy", () => {
    const { problems, warnings } = validateVariantSet(aSetObject({ variants }));
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      'spec.variants[1].match.kernel: "5.4-6.1" overlaps "4.18-5.10" of variant "one" (spec.variants[0]), which gets the kernels of both; end one range where the other begins',
    ]);
  });
  test("reconcile: the first wins", () => {
    const nodes = ["5.3.0", "5.8.0", "6.1.0"].map((kernel, at) => aNodeObject(`n${at}`, { kernel }));
    const world = new PaperSet(nodes, aSetObject({ variants })).settle();
    expect(world.bindings()).toEqual({ n0: "one", n1: "one", n2: "two" });
  });
});

describe("a patch that takes labels from the template by which its pods are selected", () => {
  const patch = { metadata: { labels: { app: null, tier: null } } };
  const variants = [{ name: "one", match: { arch: "amd64" }, patch, daemonSetName: "taken-over" }];
  const object = aSetObject({ variants, template: aTemplate({}, { app: "agent", tier: "storage" }) });
  test("the definition and admission take it: the selector is not made of these labels", async () => {
    expect((await storing(object, "patched")).status).toBe(201);
    expect(validateVariantSet(object)).toEqual({ problems: [], warnings: [] });
  });
  test("reconcile: pods keep the labels of the selector, also of one that was taken over", () => {
    const labels = { app: "agent" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "agent", image: "i:1" }] } };
    const found = {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "taken-over", namespace: "storage", uid: "t" } },
      spec: { selector: { matchLabels: labels }, template },
    };
    const world = new PaperSet([aNodeObject("a")], object, [found]);
    world.follow();
    world.settle();
    const [workload] = world.cluster.workloads.values();
    expect(workload?.spec).toMatchObject({ selector: { matchLabels: labels }, template: { metadata: { labels } } });
    expect(world.bindings()).toEqual({ a: "one" });
  });
});

describe("names that are the same when they are shortened", () => {
  const long = "x".repeat(60);
  const named = (end: string, match: JsonObject): JsonObject => ({ name: `${long}.${end}`, match });
  const variants = [named("a", { kernel: "4.x" }), named("b", { kernel: "5.x" })];
  test("the definition and admission take them", async () => {
    const object = aSetObject({ variants });
    expect((await storing(object, "long-names")).status).toBe(201);
    expect(validateVariantSet(object).problems).toEqual([]);
  });
  test("reconcile: every variant has a DaemonSet and every set a node label of its own", () => {
    const nodes = ["4.1.0", "5.1.0"].map((kernel, at) => aNodeObject(`n${at}`, { kernel }));
    const worlds = ["a", "b"].map((end) =>
      new PaperSet(nodes, aSetObject({ variants }, `${"s".repeat(100)}${end}`)).settle(),
    );
    const names = worlds.flatMap((world) => world.workloadNames());
    expect([new Set(names).size, Math.max(...names.map(({ length }) => length))]).toEqual([4, 63]);
    const labels = worlds.map(({ cluster }) => Object.keys(cluster.nodes[0]?.labels ?? {}).sort());
    expect(labels[0]).not.toEqual(labels[1]);
  });
  test("a name that is too long for a label of a node is refused", () => {
    const { problems } = validateVariantSet(aSetObject({}, "s".repeat(200)));
    expect(problems).toEqual([
      { path: "metadata.name", message: expect.stringContaining("200 characters; at most 163") },
    ]);
  });
});
