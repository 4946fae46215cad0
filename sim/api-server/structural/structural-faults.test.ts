// Schemas that kube-apiserver v1.35 does not find structural, with its words as it gave them.
import { describe, expect, test } from "vitest";
import type { Schema } from "../schema.ts";
import { structuralFaults } from "./structural-faults.ts";

const faultsOf = (schema: Schema) =>
  structuralFaults(schema, "root").map(({ field, message }) => `${field}: ${message}`);
const below = (spec: object): Schema => JSON.parse(JSON.stringify({ type: "object", properties: { spec } }));

describe("a schema is not structural with", () => {
  const cases: readonly (readonly [what: string, spec: object, ...faults: readonly string[]])[] = [
    ["a field of no type", {}, "type: Required value: must not be empty for specified object fields"],
    [
      "a type that there is not",
      { type: "strin" },
      'type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
    ["a list of nothing", { type: "array" }, "items: Required value: must be specified"],
    [
      "a list of no type",
      { type: "array", items: {} },
      "items.type: Required value: must not be empty for specified array items",
    ],
    [
      "a map of no type",
      { type: "object", additionalProperties: {} },
      "additionalProperties.type: Required value: must not be empty for specified object fields",
    ],
    [
      "a map that has properties",
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
      "additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ],
    ["a reference", { $ref: "#/x" }, "$ref: Forbidden: $ref is not supported"],
    [
      "unique items",
      { type: "array", items: { type: "string" }, uniqueItems: true },
      "uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
    [
      "a list by keys of texts",
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" },
      "x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      'items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
    [
      "a list by keys that its items do not have",
      {
        ...{ type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
        ...{ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] },
      },
      'x-kubernetes-list-map-keys: Invalid value: ["b"]: entries must all be names of item properties',
    ],
    [
      "an odd kind of list",
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "odd" },
      'x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic", "set", "map"',
    ],
    [
      "a type in a judgement",
      { type: "object", anyOf: [{ type: "object" }] },
      "anyOf[0].type: Forbidden: must be empty to be structural",
    ],
  ];
  for (const [what, spec, ...faults] of cases)
    test(what, () => {
      expect(faultsOf(below(spec))).toEqual(faults.map((fault) => `root.properties[spec].${fault}`));
    });

  test("a root of another type, or of none", () => {
    expect(faultsOf({ type: "array" })).toEqual([
      "root.items: Required value: must be specified",
      'root.type: Invalid value: "array": must be object at the root',
    ]);
    expect(faultsOf({})).toEqual(["root.type: Required value: must not be empty at the root"]);
  });

  test("words about metadata", () => {
    const metadata: Schema = { type: "object", properties: { labels: { type: "object" } } };
    expect(faultsOf({ type: "object", properties: { metadata } })).toEqual([
      "root.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ]);
  });
});

test.each([
  ["numbers or texts", { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }],
  ["anything at all", { "x-kubernetes-preserve-unknown-fields": true }],
  ["a closed map", { type: "object", additionalProperties: false }],
  ["what judges values alone", { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] }],
])("%s are structural", (_what, spec) => {
  expect(faultsOf(below(spec))).toEqual([]);
});
