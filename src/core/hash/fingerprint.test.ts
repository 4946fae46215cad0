import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, JSON_DEPTH_MAX } from "../json/canonical-json.ts";
import type { Json } from "../json/json.ts";
import { labelValueFault } from "../labels/label-syntax.ts";
import { createFingerprint, fingerprint } from "./fingerprint.ts";

const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "10")),
      tie("value"),
    ),
  ),
})).value;

describe("values have one fingerprint if and only if they have one canonical text:", () => {
  test("any two values", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(fingerprint(a) === fingerprint(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  test("the same members in another order", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyJson), (object) => {
        expect(fingerprint(Object.fromEntries(Object.entries(object).reverse()))).toBe(fingerprint(object));
      }),
    );
  });

  test.each<[string, Json, Json]>([
    ["-0 and 0", -0, 0],
    ["a whole number of either type", 5n, 5],
    ["half a surrogate pair and what stands for it", ["\ud800"], ["\ufffd"]],
    ["keys that differ only there", { "\ud800": 1, "\udbff": 2 }, { "\ufffd": 2 }],
  ])("%s are the same", (_name, a, b) => {
    expect(fingerprint(a)).toBe(fingerprint(b));
  });

  test("alike values are told apart", () => {
    const alike: readonly Json[] = [
      ...[null, "null", true, "true", 0, "0", "", [], {}, [[]], [{}], [null], [""], { "": null }, { "": "" }],
      ...[["a", "b"], ["ab"], ["b", "a"], [["a"], "b"], ["a", ["b"]], [["a", "b"]], { a: "b" }, [{ a: "b" }]],
      ...[{ a: {}, b: [] }, { a: [], b: {} }, { a: { b: [] } }, { a: 1, b: 2 }, { a: 2, b: 1 }, { a: "1", b: 2 }],
    ];
    expect(new Set(alike.map(fingerprint)).size).toBe(alike.length);
  });
});

test("a fingerprint has 24 characters that are legal in a label's value", () => {
  for (const value of [null, "", [], {}, { a: [1] }]) {
    expect(fingerprint(value)).toHaveLength(24);
    expect(labelValueFault(fingerprint(value))).toBeUndefined();
  }
});

// Written down so that a change of the function, which would have every pod looked at anew, cannot pass unseen.
test("the fingerprint of a value is the same for ever", () => {
  expect([fingerprint({}), fingerprint("farrier"), fingerprint({ a: [1, "x".repeat(20)] })]).toEqual([
    "5stdp7rvp5f6z968f7l4q74c",
    "wlh52xf9fkmrp9q7pn6k4hwk",
    "fxcjzxpdmlplkgbmssh8wjbc",
  ]);
});

test("values that share parts with another have the fingerprints that they have anyway", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (shared, other) => {
      const of = createFingerprint({ shared });
      for (const value of [shared, [shared, other], { other, shared }]) expect(of(value)).toBe(fingerprint(value));
    }),
  );
});

test("what is shared is looked at once", () => {
  let looks = 0;
  const watched = new Proxy({ a: 1 }, { get: (target, key) => (key === "a" ? ++looks : Reflect.get(target, key)) });
  const of = createFingerprint([watched]);
  expect([of([watched, 2]), looks]).toEqual([fingerprint([{ a: 1 }, 2]), 1]);
});

test("nesting up to the limit has a fingerprint, and beyond it is refused", () => {
  expect(fingerprint(nested(JSON_DEPTH_MAX))).not.toBe(fingerprint(nested(JSON_DEPTH_MAX - 1)));
  expect(() => fingerprint(nested(JSON_DEPTH_MAX + 1))).toThrow("nests deeper than 10000 levels");
});

test("a number that JSON cannot hold has none", () => {
  expect(() => fingerprint([Number.NaN])).toThrow("JSON has no text for the number NaN");
});

function nested(depth: number): Json {
  let value: Json = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}
