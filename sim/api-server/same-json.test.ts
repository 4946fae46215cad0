import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

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
