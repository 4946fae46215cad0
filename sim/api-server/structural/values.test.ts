// Values under a schema with one field for each thing that it can ask, with the answers of a real API server.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { FieldError } from "../faults/field-error.ts";
import type { Schema } from "../schema.ts";
import { applyDefaults } from "./apply-defaults.ts";
import { prune } from "./prune.ts";
import { compileSchema, type SchemaNode } from "./schema-node.ts";
import { validate } from "./validate.ts";

type Recorded = { readonly spec: Json; readonly stored?: Json; readonly causes?: readonly FieldError[] };
const recorded: { readonly schema: Schema; readonly cases: readonly Recorded[] } = JSON.parse(
  readFileSync(new URL("./vectors/values.json", import.meta.url), "utf8"),
);

function compiled(schema: Schema): SchemaNode {
  const answer = compileSchema(schema);
  if (!answer.ok) throw new Error(JSON.stringify(answer.faults));
  return answer.value;
}

const node = compiled(recorded.schema);
const decode = (object: JsonObject) => applyDefaults(node, prune(node, object).value);
const sorted = (faults: readonly FieldError[]) =>
  faults.map(({ reason, message, field }) => JSON.stringify({ reason, message, field })).sort();

test.each(recorded.cases.map((each) => [JSON.stringify(each.spec), each] as const))("%s", (_shown, each) => {
  const object = decode({ kind: "Try", metadata: {}, spec: each.spec });
  expect(sorted(validate(node, object))).toEqual(sorted(each.causes ?? []));
  if (each.stored !== undefined) expect(object).toMatchObject({ spec: each.stored });
});

test("pruning and defaulting a second time changes nothing, not even identity", () => {
  const fields = fc.record(
    Object.fromEntries(
      [...Object.keys(recorded.schema.properties?.spec?.properties ?? {}), "odd"].map((key) => [key, fc.jsonValue()]),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fields, (spec) => {
      const once = decode({ spec: spec as Json });
      expect(prune(node, once)).toEqual({ value: once, unknown: [] });
      expect(applyDefaults(node, prune(node, once).value)).toBe(once);
    }),
    { numRuns: 200 },
  );
});

test("a default is shared, not copied", () => {
  const [one, two] = [decode({ spec: {} }), decode({ spec: {} })] as { spec: { deft: Json } }[];
  expect(one?.spec.deft).toEqual({ x: 3, y: { q: 1, r: "rr" } });
  expect(one?.spec.deft).toBe(two?.spec.deft);
});

test("a fault of what an update leaves as it was is forgiven, beside a new one", () => {
  const old = { spec: { minl: "a", mult: 4, mapl: { x: [{ k: "a", p: "b", v: "1" }] } } };
  const next = {
    spec: {
      minl: "a",
      mult: 5,
      mapl: {
        x: [
          { k: "c", p: "d" },
          { k: "a", p: "b", v: "1" },
        ],
      },
    },
  };
  expect(validate(node, next, { old }).map(({ field }) => field)).toEqual(["spec.mult"]);
  expect(validate(node, old, { old })).toEqual([]);
  expect(validate(node, old).map(({ field }) => field)).toEqual(["spec.minl", "spec.mult", "spec.mapl.x[0].v"]);
});

test("a list with a key twice is forgiven as long as it was so before", () => {
  const twice = { spec: { seto: [1, 1] } };
  expect(validate(node, { spec: { seto: [1, 1, 2] } }, { old: twice })).toEqual([]);
  expect(validate(node, twice, { old: { spec: { seto: [1] } } })).toHaveLength(1);
});

test("a rule about one state that was broken before by the same value is forgiven", () => {
  const ruled = compiled({
    type: "object",
    properties: {
      a: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'x'" }] },
      b: { type: "string" },
    },
  });
  expect(validate(ruled, { a: "y", b: "1" }, { old: { a: "y" } })).toEqual([]);
  expect(validate(ruled, { a: "z" }, { old: { a: "y" } })).toHaveLength(1);
});

test("rules are found in lists and maps, and say what their definition wants said", () => {
  const ruled = compiled({
    type: "object",
    properties: {
      list: {
        type: "array",
        items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0", reason: "FieldValueForbidden" }] },
      },
      map: {
        type: "object",
        additionalProperties: {
          type: "object",
          properties: { n: { type: "integer" } },
          "x-kubernetes-validations": [
            { rule: "self.n > 0", messageExpression: "'n is ' + string(self.n)", fieldPath: ".n" },
            { rule: "self.n < 9", reason: "FieldValueRequired", message: " small " },
          ],
        },
      },
    },
  });
  expect(validate(ruled, { list: [1, 0], map: { a: { n: 0 }, b: { n: 9 } } })).toEqual([
    { reason: "FieldValueForbidden", field: "list[1]", message: "Forbidden: failed rule: self > 0" },
    { reason: "FieldValueInvalid", field: "map[a].n", message: "Invalid value: n is 0" },
    { reason: "FieldValueRequired", field: "map[b]", message: "Required value: small" },
  ]);
});

test("a number may be as small or large as its bounds, and no more", () => {
  const bounded = compiled({ type: "object", properties: { n: { type: "integer", minimum: 1, maximum: 3 } } });
  expect([0, 1, 3, 4].map((n) => validate(bounded, { n }).length)).toEqual([1, 0, 0, 1]);
  expect(validate(bounded, { n: 9007199254740993n })).toHaveLength(1);
});

test("additional properties of no schema are kept, without anything inside", () => {
  const open = compiled({ type: "object", properties: { map: { type: "object", additionalProperties: true } } });
  expect(prune(open, { map: { a: 1, b: { c: 2 } } })).toEqual({
    value: { map: { a: 1, b: {} } },
    unknown: ["map.b.c"],
  });
});

test("a rule at the root sees the name, and no other metadata", () => {
  const rooted = (rule: string) => compileSchema({ type: "object", "x-kubernetes-validations": [{ rule }] });
  const named = rooted("self.metadata.name.startsWith('a') && self.kind != 'B'");
  if (!named.ok) throw new Error("refused");
  expect(validate(named.value, { kind: "A", metadata: { name: "abc" } })).toEqual([]);
  expect(validate(named.value, { kind: "A", metadata: { name: "xyz" } }).map(({ field }) => field)).toEqual(["<nil>"]);
  expect(rooted("self.metadata.labels.a == 'b'").ok).toBe(false);
});

test("an embedded resource is compared with what it was", () => {
  const embedded: Schema = { type: "object", "x-kubernetes-embedded-resource": true };
  const rule = { rule: "self.inner == oldSelf.inner", fieldPath: ".inner", reason: "FieldValueDuplicate" } as const;
  const kept = compiled({ type: "object", properties: { inner: embedded }, "x-kubernetes-validations": [rule] });
  const inner = (kind: string) => ({ inner: { apiVersion: "v1", kind } });
  expect(validate(kept, inner("A"), { old: inner("A") })).toEqual([]);
  const fault = { reason: "FieldValueDuplicate", field: "inner", message: "Duplicate value" };
  expect(validate(kept, inner("B"), { old: inner("A") })).toEqual([fault]);
});

test("a long integer that breaks a rule is shown with all its digits", () => {
  const rule = { rule: "self < 5", reason: "FieldValueDuplicate" } as const;
  const small = compiled({
    type: "object",
    properties: { n: { type: "integer", "x-kubernetes-validations": [rule] } },
  });
  expect(validate(small, { n: 9007199254740993n }).map(({ message }) => message)).toEqual([
    "Duplicate value: 9007199254740993",
  ]);
});

test("a schema whose only keyed list is a map or a set is still looked through", () => {
  const list = (more: Schema) =>
    compiled({ type: "object", properties: { plain: { type: "string" }, list: { type: "array", ...more } } });
  const items: Schema = { type: "object", properties: { k: { type: "string" } } };
  const map = list({ items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] });
  expect(validate(map, { list: [{ k: "a" }, { k: "a" }] })).toHaveLength(1);
  const set = list({ items: { type: "string" }, "x-kubernetes-list-type": "set" });
  expect(validate(set, { list: ["a", "a"] })).toHaveLength(1);
});

test("what cannot be checked cannot be installed", () => {
  const faultsOf = (field: Schema) => {
    const answer = compileSchema({ type: "object", properties: { a: field } }, "schema");
    return answer.ok ? [] : answer.faults.map(({ field: where }) => where);
  };
  const rule = (more: object) => ({ "x-kubernetes-validations": [{ rule: "true", ...more }] });
  expect(faultsOf({ type: "string", pattern: "(" })).toEqual(["schema.properties[a].pattern"]);
  expect(faultsOf({ type: "string", format: "ipv4" })).toEqual(["schema.properties[a].format"]);
  expect(faultsOf({ type: "integer", format: "int64" })).toEqual([]);
  const where = "schema.properties[a].x-kubernetes-validations[0].rule";
  expect(faultsOf({ type: "string", ...rule({ rule: "self.b" }) })).toEqual([where]);
  expect(faultsOf({ type: "string", ...rule({ optionalOldSelf: true }) })).toEqual([where]);
  expect(faultsOf({ type: "string", ...rule({ fieldPath: ".a[0]" }) })).toEqual([where]);
  expect(faultsOf({ type: "string", ...rule({ messageExpression: "1" }) })).toEqual([where]);
  expect(faultsOf({ type: "string", format: "date-time", ...rule({}) })).toEqual([where]);
});

test("a nesting of 1,500 is pruned, defaulted and validated", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(1500)}1${"}".repeat(1500)}`);
  const object = { spec: { open: deep, odd: deep } };
  expect(prune(node, object).unknown).toEqual(["spec.odd"]);
  expect(validate(node, decode(object), { old: decode(object) })).toEqual([]);
});
