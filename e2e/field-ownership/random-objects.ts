// Random objects and changes for the differential of field ownership: small alphabets, so that managers meet.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { Rand } from "../../src/kube/rand.ts";

export const THING_GROUP = "ownership.example.dev";

const text = { type: "string" };
const number = { type: "integer" };
const texts = { type: "object", additionalProperties: text };
const keyed = (properties: JsonObject, ...keys: readonly string[]) => ({
  ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys },
  items: { type: "object", required: keys.filter((key) => key !== "side"), properties },
});

/** One field for each way of owning. */
const specSchema = {
  type: "object",
  properties: {
    ...{
      replicas: number,
      word: text,
      note: { type: "string", nullable: true },
      plain: { type: "array", items: text },
    },
    counts: { type: "object", additionalProperties: number },
    fixed: { ...texts, "x-kubernetes-map-type": "atomic" },
    nested: { type: "object", properties: { left: texts, right: { type: "object", properties: { deep: number } } } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    numbers: { type: "array", "x-kubernetes-list-type": "set", items: number },
    parts: keyed(
      { name: text, value: text, tags: { type: "array", "x-kubernetes-list-type": "set", items: text } },
      "name",
    ),
    sides: keyed({ port: number, side: { type: "string", default: "L" }, note: text }, "port", "side"),
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    mixed: {
      ...{ type: "object", "x-kubernetes-preserve-unknown-fields": true },
      properties: { known: { type: "object", properties: { deep: number } } },
    },
    byName: { type: "object", additionalProperties: { type: "object", properties: { deep: number, words: texts } } },
    whole: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    mode: { type: "string", default: "x" },
    either: { "x-kubernetes-int-or-string": true },
  },
};
const version = (name: string, isStored: boolean) => ({
  ...{ name, served: true, storage: isStored },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: specSchema, status: { type: "object", properties: { phase: text, seen: texts } } },
    },
  },
  subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
});

export const thingDefinition: JsonObject = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: `things.${THING_GROUP}` },
  spec: {
    ...{ group: THING_GROUP, scope: "Namespaced", versions: [version("v1", true), version("v1beta1", false)] },
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
  },
};

/** Chance with a few words of its own. */
export class Chance {
  readonly #rand: Rand;
  constructor(rand: Rand) {
    this.#rand = rand;
  }
  below(count: number): number {
    return Math.floor(this.#rand.next() * count);
  }
  is(probability: number): boolean {
    return this.#rand.next() < probability;
  }
  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0];
  }
  some<Value>(values: readonly Value[], probability = 0.5): readonly Value[] {
    return values.filter(() => this.is(probability));
  }
  /** Some of the fields, in a random order. */
  fields(makers: Readonly<Record<string, () => Json>>, probability = 0.4): JsonObject {
    return Object.fromEntries(
      this.shuffled(Object.keys(makers))
        .filter(() => this.is(probability))
        .map((key) => [key, makers[key]?.() ?? null]),
    );
  }
  shuffled<Value>(values: readonly Value[]): readonly Value[] {
    return values
      .map((value) => [this.#rand.next(), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  }
}

const names = ["a", "b", "c"] as const;

/** The metadata that managers write. */
export function someMeta(chance: Chance): JsonObject {
  const map = () => someTexts(chance);
  return chance.fields({ labels: map, annotations: map }, 0.25);
}

export function someTexts(chance: Chance): JsonObject {
  return chance.fields(Object.fromEntries(names.map((name) => [name, () => chance.one(["1", "2"])])), 0.5);
}

/** A random spec of a thing; rarely with a fault. */
export function someSpec(chance: Chance): JsonObject {
  const n = () => chance.below(3);
  const spec = chance.fields({
    ...{ replicas: n, word: () => chance.one(["x", "y"]), note: () => chance.one(["x", null]) },
    ...{
      plain: () => [...chance.some(names)],
      fixed: () => someTexts(chance),
      either: () => chance.one<Json>([1, "1%"]),
    },
    counts: () => chance.fields({ a: n, b: n, c: n }, 0.5),
    nested: () => chance.fields({ left: () => someTexts(chance), right: () => chance.fields({ deep: n }) }),
    set: () => [...chance.shuffled(chance.some(names))],
    numbers: () => [...chance.shuffled(chance.some([2, 10, 9]))],
    parts: () =>
      chance.shuffled(chance.some(names)).map((name) => ({
        name,
        ...chance.fields({ value: () => chance.one(["1", "2"]), tags: () => [...chance.some(names)] }),
      })),
    sides: () => someSides(chance),
    open: () =>
      chance.fields({ a: n, b: () => chance.one<Json>([1, [1], { c: 1 }, { c: { d: [] } }, {}, null]), "x.y/z": n }),
    mixed: () =>
      chance.fields({
        known: () => chance.fields({ deep: n, more: n }),
        other: () => chance.one<Json>([1, { a: 1 }, { a: [{}] }]),
      }),
    byName: () =>
      chance.fields({
        a: () => chance.fields({ deep: n, words: () => someTexts(chance) }),
        b: () => ({}),
        c: () => ({ deep: 1 }),
      }),
    whole: () => ({
      ...{ apiVersion: "v1", kind: "Other" },
      ...chance.fields({ metadata: () => ({ name: "a", labels: { z: "1", ...someTexts(chance) } }), content: n }, 0.6),
    }),
    mode: () => chance.one(["x", "y"]),
  });
  return chance.is(0.05) ? { ...spec, ...someFault(chance) } : spec;
}

function someSides(chance: Chance): readonly Json[] {
  const keys = [{ port: 1 }, { port: 1, side: "R" }, { port: 10 }, { port: 9, side: "R" }];
  return chance
    .shuffled(chance.some(keys))
    .map((key) => ({ ...key, ...chance.fields({ note: () => chance.one(["x", "y"]) }) }));
}

/** One fault that no schema allows; a second would be reported in the order of a Go map. */
function someFault(chance: Chance): JsonObject {
  return chance.one<JsonObject>([
    { parts: [{ name: "a" }, { name: "a" }] },
    { parts: [{ value: "1" }] },
    { parts: [null] },
    { parts: ["a"] },
    { parts: { a: 1 } },
    { set: ["a", "b", "a"] },
    { set: [{}] },
    { set: [null] },
    { set: [["a"]] },
    { word: 7 },
    { word: { a: [1, "b", true] } },
    { replicas: "7" },
    { counts: { a: "x" } },
    { counts: 5 },
    { nothing: 1 },
  ]);
}

export function someStatus(chance: Chance): JsonObject {
  return chance.fields({ phase: () => chance.one(["A", "B"]), seen: () => someTexts(chance) }, 0.6);
}

/** The spec of a DaemonSet with what managers meet in: environment, ports, labels, tolerations. */
export function someDaemonSetSpec(chance: Chance, isWhole: boolean): JsonObject {
  // A name may stand twice in an environment: nobody can apply that, but everybody can write it.
  const twice = chance.is(0.1) ? names : [];
  const env = () =>
    chance
      .shuffled([...chance.some(names), ...chance.some(twice)])
      .map((name) => ({ name, value: chance.one(["1", "2"]) }));
  const ports = () =>
    chance
      .shuffled(chance.some([80, 443, 9]))
      .map((containerPort) => ({ containerPort, ...chance.fields({ protocol: () => chance.one(["TCP", "UDP"]) }) }));
  const image = () => chance.one(["img:1", "img:2"]);
  const container = (name: string) => ({
    name,
    ...(isWhole ? { image: image() } : {}),
    ...chance.fields({ image, env, ports, args: () => [...chance.some(names)] }),
  });
  const containers = isWhole ? ["main", ...chance.some(["side"])] : chance.some(["main", "side"]);
  const spec = {
    ...(containers.length === 0 ? {} : { containers: chance.shuffled(containers).map(container) }),
    ...chance.fields({
      nodeSelector: () => someTexts(chance),
      tolerations: () => [...chance.some(names)].map((key) => ({ key, operator: "Exists" })),
      hostNetwork: () => chance.is(0.5),
      terminationGracePeriodSeconds: () => chance.below(3),
    }),
  };
  const labels = { ...(isWhole ? { app: "a" } : {}), ...someTexts(chance) };
  return {
    ...(isWhole ? { selector: { matchLabels: { app: "a" } } } : {}),
    template: { metadata: { labels }, spec },
    ...chance.fields({ minReadySeconds: () => chance.below(3) }),
  };
}

/** The contents of a ConfigMap. */
export function someContents(chance: Chance): JsonObject {
  return chance.fields(
    { data: () => someTexts(chance), binaryData: () => chance.fields({ z: () => chance.one(["YQ==", "Yg=="]) }) },
    0.7,
  );
}
