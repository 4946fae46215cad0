import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { changeInPlace, type InPlaceRules, isNoChange } from "./in-place-change.ts";
import { batchesOf, launchOrder } from "./in-place-launch-order.ts";

const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } };
const main: JsonObject = { name: "main", image: "a:1", resources };
const side: JsonObject = { name: "side", image: "s:1" };
const base: JsonObject = {
  metadata: { labels: { app: "a", tier: "x" }, annotations: { note: "1" } },
  spec: { hostNetwork: true, containers: [main, side] },
};
const withMain = (changes: JsonObject): JsonObject =>
  mergeObject(base, { spec: { containers: [mergeObject(main, changes), side] } });
const withResources = (changes: JsonObject) => withMain({ resources: changes });

type VerdictWish = Partial<InPlaceRules> & { readonly before?: JsonObject };
const verdict = (after: JsonObject, { resizing = "growing", before = base }: VerdictWish = {}) =>
  changeInPlace(before, after, { resizing });
const changeOf = (after: JsonObject, options: VerdictWish = {}) => {
  const found = verdict(after, options);
  if (!found.can) throw new Error(found.because);
  return found.change;
};

describe("a pod can be changed in place", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["an image", withMain({ image: "a:2" }), { images: { main: { from: "a:1", to: "a:2" } } }],
    ["a label that is added", mergeObject(base, { metadata: { labels: { z: "1" } } }), { labels: { z: "1" } }],
    [
      "a label that is taken away",
      mergeObject(base, { metadata: { labels: { tier: null } } }),
      { labels: { tier: null } },
    ],
    [
      "an annotation that is another",
      mergeObject(base, { metadata: { annotations: { note: "2" } } }),
      { annotations: { note: "2" } },
    ],
    [
      "all annotations taken away",
      mergeObject(base, { metadata: { annotations: null } }),
      { annotations: { note: null } },
    ],
    [
      "an amount of cpu",
      withResources({ limits: { cpu: "2" } }),
      { resources: { main: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } } } },
    ],
    [
      "an image together with a label",
      mergeObject(withMain({ image: "a:2" }), { metadata: { labels: { z: "1" } } }),
      { images: { main: { from: "a:1", to: "a:2" } }, labels: { z: "1" } },
    ],
  ])("in %s", (_name, after, expected) => {
    const nothing = { labels: {}, annotations: {}, images: {}, resources: {}, restarted: [] };
    expect(changeOf(after)).toMatchObject({ ...nothing, ...expected });
  });

  test("and nothing changes where only spellings differ", () => {
    const respelled = withResources({ limits: { cpu: "1000m" }, requests: { cpu: 0.5, memory: "1024Mi" } });
    expect(isNoChange(changeOf(respelled, { resizing: "none" }))).toBe(true);
    expect(isNoChange(changeOf(withMain({ env: [] })))).toBe(true);
    expect(isNoChange(changeOf(withMain({ image: "a:2" })))).toBe(false);
  });
});

describe("a pod must be made anew", () => {
  const field = (path: string) => `metadata.labels['${path}']`;
  const withVariable = (container: JsonObject): JsonObject => ({
    ...{ ...container, env: [{ name: "T", valueFrom: { fieldRef: { fieldPath: field("tier") } } }] },
  });
  const reading = mergeObject(base, { spec: { containers: [withVariable(main), side] } });
  const retiered = mergeObject(reading, { metadata: { labels: { tier: "y" } } });

  test.each<[string, JsonObject, string]>([
    ["the environment", withMain({ env: [{ name: "A", value: "1" }] }), "containers[main].env differs"],
    ["a container more", mergeObject(base, { spec: { containers: [main, side, { name: "c" }] } }), "others"],
    ["the order of containers", mergeObject(base, { spec: { containers: [side, main] } }), "others"],
    [
      "an init container",
      mergeObject(base, { spec: { initContainers: [{ name: "i" }] } }),
      "spec.initContainers differs",
    ],
    ["a volume", mergeObject(base, { spec: { volumes: [{ name: "v", emptyDir: {} }] } }), "spec.volumes differs"],
    ["the host's network", mergeObject(base, { spec: { hostNetwork: null } }), "spec.hostNetwork differs"],
    ["a finalizer", mergeObject(base, { metadata: { finalizers: ["x/y"] } }), "metadata.finalizers differs"],
    ["an image that is gone", withMain({ image: null }), "has no image"],
    ["a limit more", withResources({ limits: { "example.org/gpu": "1" } }), ".limits name other resources"],
    ["a request less", withResources({ requests: { cpu: null } }), ".requests name other resources"],
    ["less memory while it runs", withResources({ limits: { memory: "512Mi" } }), "take memory"],
    [
      "another class of service",
      withResources({ limits: { cpu: "500m" } }),
      "the pod would be Guaranteed instead of Burstable",
    ],
  ])("for %s", (_name, after, because) => {
    const soleMain = { spec: { containers: [main] } };
    const isOfOne = because.includes("Guaranteed");
    const before = isOfOne ? mergeObject(base, soleMain) : base;
    const wanted = isOfOne
      ? mergeObject(after, { spec: { containers: listOf(objectAt(after, "spec").containers).slice(0, 1) } })
      : after;
    expect(verdict(wanted, { before })).toEqual({ can: false, because: expect.stringContaining(because) });
  });

  test("for an amount that cannot be resized", () => {
    const gpu = (amount: string) => withResources({ limits: { "example.org/gpu": amount } });
    expect(verdict(gpu("2"), { before: gpu("1") })).toMatchObject({
      can: false,
      because: expect.stringContaining("gpu"),
    });
  });

  test("for resources where pods are not resized", () => {
    expect(verdict(withResources({ limits: { cpu: "2" } }), { resizing: "none" })).toMatchObject({ can: false });
  });

  test("for metadata that a container has in its environment, unless that container is restarted anyway", () => {
    expect(verdict(retiered, { before: reading })).toMatchObject({
      can: false,
      because: "containers[main] has changed metadata in its environment",
    });
    const both = mergeObject(retiered, { spec: { containers: [{ ...withVariable(main), image: "a:2" }, side] } });
    expect(verdict(both, { before: reading })).toMatchObject({ can: true });
  });
});

test("a container may lose memory while it runs where the server lets it", () => {
  const smaller = withResources({ limits: { memory: "512Mi" }, requests: { memory: "512Mi" } });
  expect(verdict(smaller)).toMatchObject({ can: false, because: expect.stringContaining("take memory") });
  const { resources, restarted } = changeOf(smaller, { resizing: "free" });
  expect([Object.keys(resources), restarted]).toEqual([["main"], []]);
});

test("a container with the policy RestartContainer is restarted for its resources, and may lose memory", () => {
  const policy = { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] };
  const before = withMain(policy);
  const smaller = withMain({ ...policy, resources: { limits: { memory: "512Mi" } } });
  expect(changeOf(smaller, { before }).restarted).toEqual(["main"]);
  const faster = withMain({ ...policy, resources: { limits: { cpu: "2" } } });
  expect(changeOf(faster, { before }).restarted).toEqual([]);
});

describe("the order of launch", () => {
  const containers = (...priorities: readonly (string | undefined)[]): JsonObject => ({
    spec: {
      containers: priorities.map((value, index) => ({
        name: `c${index}`,
        ...(value === undefined ? {} : { env: [{ name: "KRUISE_CONTAINER_PRIORITY", value }] }),
      })),
    },
  });

  test.each<[string, JsonObject, readonly (readonly string[])[]]>([
    ["is one group without priorities", containers(undefined, undefined), [["c0", "c1"]]],
    ["is by priority, the highest first", containers("1", "5", "-3", "5"), [["c1", "c3"], ["c0"], ["c2"]]],
    ["lets those without one go with the first", containers(undefined, "1", "2"), [["c0", "c2"], ["c1"]]],
    ["takes what is no number for none", containers("high", "1"), [["c0", "c1"]]],
    [
      "is that of the list where the template says so",
      mergeObject(containers(undefined, "9"), {
        metadata: { annotations: { "apps.kruise.io/container-launch-priority": "Ordered" } },
      }),
      [["c0"], ["c1"]],
    ],
    ["is empty for no containers", { spec: {} }, []],
  ])("%s", (_name, template, expected) => {
    expect(launchOrder(template)).toEqual(expected);
  });

  test("is cut down to the containers that change; one that it does not know comes last", () => {
    expect(batchesOf([["a", "b"], ["c"], ["d"]], ["x", "d", "b"])).toEqual([["b"], ["d"], ["x"]]);
  });
});

test("a template is no change from itself, and what can be changed there can be changed back", () => {
  const image = fc.constantFrom("a:1", "a:2");
  const label = fc.option(fc.constantFrom("1", "2"), { nil: undefined });
  const template = fc.record({ image, label, host: fc.boolean(), cpu: fc.constantFrom("1", "2") }).map(
    ({ image: name, label: z, host, cpu }): JsonObject => ({
      metadata: { labels: z === undefined ? {} : { z } },
      spec: { hostPID: host, containers: [{ name: "main", image: name, resources: { limits: { cpu } } }] },
    }),
  );
  fc.assert(
    fc.property(template, template, (a, b) => {
      const same = changeInPlace(a, a, { resizing: "growing" });
      expect(same.can && isNoChange(same.change)).toBe(true);
      const [there, back] = [
        changeInPlace(a, b, { resizing: "growing" }),
        changeInPlace(b, a, { resizing: "growing" }),
      ];
      expect(there.can).toBe(back.can);
      if (there.can) expect(imagesAfter(a, there.change.images)).toEqual(imagesAfter(b, {}));
    }),
  );
});

function imagesAfter(template: JsonObject, images: Readonly<Record<string, { readonly to: string }>>): readonly Json[] {
  const containers = listOf(objectAt(template, "spec").containers).filter(isJsonObject);
  return containers.map(({ name, image = "" }) => images[typeof name === "string" ? name : ""]?.to ?? image);
}
