// The custom resource of the differential: one field for each thing that a structural schema can do to a write.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { type Chance, someTexts } from "../field-ownership/random-objects.ts";

export const GADGET_GROUP = "differential.example.dev";
export const GADGETS = `${GADGET_GROUP}/v1`;

const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const partSchema = {
  ...{ type: "object", required: ["name"] },
  properties: {
    name: { ...text, maxLength: 8 },
    side: { ...text, default: "L" },
    count: { type: "integer", default: 1, minimum: 0 },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
  },
};
const specSchema = {
  type: "object",
  required: ["word"],
  "x-kubernetes-validations": [
    { rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: "low must not be above high" },
  ],
  properties: {
    replicas: { type: "integer", minimum: 0, maximum: 5 },
    word: { ...text, enum: ["x", "y"], default: "x" },
    owner: { ...text, maxLength: 5, pattern: "^[a-z]+$" },
    ...{ low: { type: "integer" }, high: { type: "integer" }, ratio: { type: "number" }, isOn: { type: "boolean" } },
    note: { ...text, nullable: true },
    fixed: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed cannot change" }] },
    plain: { type: "array", maxItems: 3, items: text },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    parts: {
      ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "side"] },
      items: { ...partSchema, required: ["name"] },
    },
    words: texts,
    whole: { ...texts, "x-kubernetes-map-type": "atomic" },
    nested: { type: "object", default: {}, properties: { deep: { type: "integer", default: 7 }, texts } },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { "x-kubernetes-int-or-string": true },
    when: { ...text, format: "date-time" },
  },
};

/** The definition of gadgets. */
export const gadgetDefinition: JsonObject = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: `gadgets.${GADGET_GROUP}` },
  spec: {
    ...{ group: GADGET_GROUP, scope: "Namespaced" },
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: specSchema,
              status: {
                type: "object",
                properties: { replicas: { type: "integer" }, phase: { ...text, maxLength: 3 }, seen: texts },
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      },
    ],
  },
};

/** A random spec; now and then one that breaks a rule, or says null where that may mean nothing, a default or a fault. */
export function someGadget(chance: Chance): JsonObject {
  const spec = fieldsOfGadget(chance);
  return chance.is(0.06) ? { ...spec, [chance.one(["words", "nested", "parts", "low", "word", "open"])]: null } : spec;
}

function fieldsOfGadget(chance: Chance): JsonObject {
  const n = () => chance.below(3);
  return chance.fields(
    {
      ...{ replicas: () => chance.one([0, 1, 2, 2, 6]), low: n, high: n, isOn: () => chance.is(0.5) },
      word: () => chance.one(["x", "x", "y", "z"]),
      owner: () => chance.one(["ab", "ab", "cd", "AB", "abcdefg"]),
      ratio: () => chance.one([1, 1.5]),
      note: () => chance.one(["x", null]),
      fixed: () => chance.one(["f", "f", "f", "g"]),
      plain: () => chance.some(["a", "b", "c", "d"]),
      set: () => chance.one<Json>([["a"], ["b", "a"], [], ["a", "a"]]),
      parts: () =>
        chance.some(["a", "b"]).map((name) => ({
          name,
          ...chance.fields({ side: () => chance.one(["L", "R"]), count: n, tags: () => chance.some(["s", "t"]) }),
        })),
      words: () => someTexts(chance),
      whole: () => someTexts(chance),
      nested: () => chance.fields({ deep: n, texts: () => someTexts(chance) }),
      open: () => chance.fields({ a: n, b: () => chance.one<Json>([1, [1], { c: 1 }, {}, null]) }),
      either: () => chance.one<Json>([1, "1%"]),
      when: () => chance.one(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "soon"]),
    },
    0.25,
  );
}

export function someGadgetStatus(chance: Chance): JsonObject {
  return chance.fields(
    {
      replicas: () => chance.below(3),
      phase: () => chance.one(["A", "B", "long"]),
      seen: () => (chance.is(0.1) ? null : someTexts(chance)),
    },
    0.5,
  );
}
