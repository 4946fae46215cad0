import fc from "fast-check";
import { expect, test } from "vitest";
import { withSharedParts } from "../same-json.ts";
import type { Definitions } from "../schema.ts";
import { decodeObject } from "./go-object.ts";
import { goTime } from "./go-time.ts";
import { GoTypes } from "./go-type.ts";

const definitions: Definitions = {
  "a.v1.Thing": {
    type: "object",
    properties: {
      kind: { type: "string" },
      name: { type: "string", "x-go": "always" },
      count: { type: "integer", format: "int32" },
      limit: { type: "integer", format: "int64", "x-go": "pointer" },
      mode: { type: "string", default: "Safe" },
      list: { type: "array", items: { type: "string" } },
      kept: { type: "array", items: { type: "string" }, "x-go": "always" },
      labels: { type: "object", additionalProperties: { type: "string" } },
      bytes: { type: "object", additionalProperties: { type: "string", format: "byte" } },
      part: { $ref: "#/definitions/a.v1.Part" },
      more: { $ref: "#/definitions/a.v1.Part", "x-go": "pointer" },
      parts: { type: "array", items: { $ref: "#/definitions/a.v1.Part" } },
      raw: { type: "object" },
    },
  },
  "a.v1.Part": {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      inner: { $ref: "#/definitions/a.v1.Part", "x-go": "pointer" },
    },
  },
};
const thing = new GoTypes(definitions).struct("a.v1.Thing");
const whole = { name: "", mode: "Safe", kept: null, part: { at: null } };

test("an empty object gets what Go always writes, and defaults", () => {
  expect(decodeObject(thing, {})).toEqual({ ok: true, value: whole, unknown: [] });
});

test.each([
  ["zero values that Go leaves out are dropped", { count: 0, list: [], labels: {}, mode: "" }, {}],
  ["a pointer keeps its zero value", { limit: 0, more: {} }, { limit: 0, more: { at: null } }],
  [
    "null is nothing",
    { limit: null, list: null, part: null, mode: null, name: null, labels: { a: null }, bytes: { a: null } },
    { labels: { a: "" }, bytes: { a: "" } },
  ],
  [
    "other values stay",
    { count: 3, kept: ["a"], raw: { any: [null] } },
    { count: 3, kept: ["a"], raw: { any: [null] } },
  ],
])("%s", (_shows, sent, more) => {
  expect(decodeObject(thing, sent)).toEqual({ ok: true, value: { ...whole, ...more }, unknown: [] });
});

test("unknown fields are dropped and named with their place", () => {
  const decoded = decodeObject(thing, { odd: 1, parts: [{ inner: { odd: 2 } }] });
  expect(decoded).toMatchObject({
    unknown: ["odd", "parts[0].inner.odd"],
    value: { parts: [{ inner: { at: null } }] },
  });
});

test("an object that is as Go would write it keeps its identity", () => {
  const stored = { name: "a", mode: "Safe", kept: null, part: { at: "2026-01-02T03:04:05Z" } };
  const decoded = decodeObject(thing, stored);
  expect(decoded.ok && decoded.value).toBe(stored);
});

const sparse = { requiredKeys: [] };
const parts = fc.array(
  fc.record({ at: fc.constantFrom("2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00"), odd: fc.constant(1) }, sparse),
  { maxLength: 2 },
);
const things = fc.record(
  {
    ...{ name: fc.constantFrom("", "a"), count: fc.constantFrom(0, 1, "1"), mode: fc.constantFrom("", "Fast") },
    ...{ list: fc.constantFrom([], ["a"], [null]), labels: fc.constantFrom({}, { a: "1" }, { a: null }), parts },
  },
  sparse,
);

test("what is known from a stored object changes nothing in what is read", () => {
  const law = fc.property(things, things, (sent, other) => {
    const stored = decodeObject(thing, other);
    if (!stored.ok) return;
    const shared = withSharedParts(sent, stored.value);
    expect(decodeObject(thing, shared, stored.value)).toEqual(decodeObject(thing, sent));
  });
  fc.assert(law, { numRuns: 300 });
});

test("what an object shares with a stored one is not looked at again", () => {
  const stored = { labels: { a: "1" }, part: { at: "never" } };
  expect(decodeObject(thing, { ...stored, count: 1 }, stored)).toMatchObject({
    ok: true,
    value: { ...stored, count: 1 },
  });
  expect(decodeObject(thing, stored)).toMatchObject({ ok: false });
});

test("fields come in the order of the struct", () => {
  const decoded = decodeObject(thing, { raw: {}, limit: 1, name: "a", kind: "Thing" });
  expect(decoded.ok && Object.keys(decoded.value)).toEqual(["kind", "name", "limit", "mode", "kept", "part", "raw"]);
});

test.each([
  [{ count: "1" }, "string into Go struct field Thing.count of type int32"],
  [{ count: 2 ** 31 }, "number 2147483648 into Go struct field Thing.count of type int32"],
  [{ limit: 1.5 }, "number 1.5 into Go struct field Thing.limit of type int64"],
  [{ labels: { a: [] } }, "array into Go struct field Thing.labels of type string"],
  [{ list: {} }, "object into Go struct field Thing.list of type []string"],
  [{ parts: [{ inner: true }] }, "bool into Go struct field Part.parts.inner of type v1.Part"],
])("%j is refused as Go refuses it", (sent, words) => {
  expect(decodeObject(thing, sent)).toEqual({ ok: false, because: `json: cannot unmarshal ${words}` });
});

test.each([
  ["2026-01-02T03:04:05Z", false, "2026-01-02T03:04:05Z"],
  ["2026-01-02T05:04:05+02:00", false, "2026-01-02T03:04:05Z"],
  ["2026-01-02T03:04:05.999Z", false, "2026-01-02T03:04:05Z"],
  ["2026-01-31T03:04:05Z", false, "2026-01-31T03:04:05Z"],
  ["2026-01-02T03:04:05.000006Z", true, "2026-01-02T03:04:05.000006Z"],
  ["2026-01-02T05:04:05.120000+02:00", true, "2026-01-02T03:04:05.120000Z"],
])("the time %s is written %s", (text, hasMicros, written) => {
  expect(goTime(text, hasMicros)).toBe(written);
});

test.each([
  ["yesterday", false, 'cannot parse "yesterday" as "2006"'],
  ["2026-1-02T03:04:05Z", false, 'cannot parse "1-02T03:04:05Z" as "01"'],
  ["2026-01-02", false, 'cannot parse "" as "T"'],
  ["2026-01-02T03:04:05", false, 'cannot parse "" as "Z07:00"'],
  ["2026-01-02T03:04:05Z", true, 'cannot parse "Z" as ".000000"'],
  ["2026-01-42T03:04:05Z", false, ": day out of range"],
  ["2026-02-30T03:04:05Z", false, ": day out of range"],
])("the time %s is refused in Go's words", (text, hasMicros, words) => {
  expect(() => goTime(text, hasMicros)).toThrow(words);
});
