// What counts as the same answer.
import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

test("the order of keys is irrelevant and the order of elements is not", () => {
  expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson([1], [1, null])).toBe(false);
});

test("a missing key is not a null one, and an object is not a list", () => {
  expect(isSameJson({ a: null }, { b: null })).toBe(false);
  expect(isSameJson({ a: null }, {})).toBe(false);
  expect(isSameJson({}, [])).toBe(false);
  expect(isSameJson(1, 1n)).toBe(false);
});

test("a key that objects inherit counts only where it is an own one", () => {
  expect(isSameJson(Object.fromEntries([["__proto__", null]]), { a: null })).toBe(false);
  expect(isSameJson({ constructor: 1 }, { a: 1 })).toBe(false);
});
