import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { ownValue } from "../../src/core/strategic-merge/draft.ts";
import { isSameJson, withSharedParts } from "./same-json.ts";

test("values are compared by what they say, not by identity or the order of keys", () => {
  expect(isSameJson({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] })).toBe(true);
  expect(isSameJson(9007199254740993n, 9007199254740993n)).toBe(true);
  expect(isSameJson(7, 7n)).toBe(true);
});

test.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: 1 }],
  [[1, 2], [1]],
  [
    [1, 2],
    [2, 1],
  ],
  [[], {}],
  [{}, []],
  [1, "1"],
  [null, undefined],
  [9007199254740993n, 9007199254740992],
  [1n, "1"],
  [{ constructor: 1 }, { a: 1 }],
] as const)("%o and %o differ", (left, right) => {
  expect(isSameJson(left, right)).toBe(false);
});

const small = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constantFrom(1, "a", null, true), tie("object"), tie("list")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 3 }),
}));
const objects = small.object.map((value) => JSON.parse(JSON.stringify(value)));

test("an object that shares parts with an older one says what it said", () => {
  fc.assert(
    fc.property(objects, objects, (next: JsonObject, old: JsonObject) => {
      const shared = withSharedParts(next, old);
      expect(isSameJson(shared, next)).toBe(true);
      expect(shared === old).toBe(isSameJson(next, old));
      for (const key of Object.keys(shared)) {
        const before = ownValue(old, key);
        if (isJsonObject(before) && isSameJson(shared[key], before)) expect(shared[key]).toBe(before);
      }
    }),
  );
});
