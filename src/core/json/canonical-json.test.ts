import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, JSON_DEPTH_MAX } from "./canonical-json.ts";
import type { Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";
import vectors from "./vectors/go-json.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$encoded", ({ value, encoded }) => {
    const json: Json = JSON.parse(JSON.stringify(value));
    expect(canonicalJson(json)).toBe(encoded);
  });
});

test.each<[Json, string]>([
  [null, "null"],
  [false, "false"],
  [[], "[]"],
  [{}, "{}"],
  [-0, "0"],
  [1e21, "1e+21"],
  [123456789012345680000, "123456789012345680000"],
  [9223372036854775807n, "9223372036854775807"],
  [-9223372036854775808n, "-9223372036854775808"],
  [18446744073709551615n, "18446744073709552000"],
  ["\ud800", '"\ufffd"'],
  ["a\udc00b", '"a\ufffdb"'],
  [{ "\ud800": 1, "\udbff": 2 }, '{"\ufffd":2}'],
  [{ constructor: 1, toString: 2 }, '{"constructor":1,"toString":2}'],
])("%o is written %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test("a member named __proto__ is written like any other", () => {
  expect(canonicalJson(JSON.parse('{"b": 1, "__proto__": {"a": 2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
});

test("nesting up to the limit is written, and beyond it refused", () => {
  expect(canonicalJson(nested(JSON_DEPTH_MAX))).toBe("[".repeat(JSON_DEPTH_MAX) + "]".repeat(JSON_DEPTH_MAX));
  expect(() => canonicalJson(nested(JSON_DEPTH_MAX + 1))).toThrow("nests deeper than 10000 levels");
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d has no text", (value) => {
  expect(() => canonicalJson([value])).toThrow(`JSON has no text for the number ${value}`);
});

const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.integer(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "10", "9")),
      tie("value"),
    ),
  ),
})).value;

test("what is written is read back as the same value, and the order of keys is irrelevant", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = canonicalJson(value);
      const parsed = parseJson(text);
      expect(parsed.ok).toBe(true);
      if (parsed.ok) expect(canonicalJson(parsed.value)).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
    }),
  );
});

test("what is written agrees with JSON.stringify up to order and escapes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json: Json = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(json))).toEqual(json);
    }),
  );
});

function nested(depth: number): Json {
  let value: Json = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

function reversed(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}
