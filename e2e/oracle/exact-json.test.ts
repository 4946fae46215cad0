// The text on the pipe keeps what the case holds.
import { expect, test } from "vitest";
import { decodeExact, encodeExact, isSameJson } from "./exact-json.ts";

test.each([
  ["the largest int64", "9223372036854775807"],
  ["an integer just beyond 2^53", "9007199254740993"],
  ["an ordinary number", "80"],
  ["a fraction", "0.5"],
  ["a key that JavaScript treats specially", '{"__proto__":{"10":1,"constructor":null}}'],
  ["text with quotes and control characters", '["\\"\\u0000\\n"]'],
])("%s survives the way there and back", (_what, text) => {
  expect(encodeExact(decodeExact(text))).toBe(text);
});

test("the order of keys is irrelevant and the order of elements is not", () => {
  expect(isSameJson(decodeExact('{"a":1,"b":[1,2]}'), decodeExact('{"b":[1,2],"a":1}'))).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson([1], [1, null])).toBe(false);
});

test("a missing key is not a null one, and an object is not a list", () => {
  expect(isSameJson({ a: null }, { b: null })).toBe(false);
  expect(isSameJson({ a: null }, {})).toBe(false);
  expect(isSameJson({}, [])).toBe(false);
  expect(isSameJson(1, 1n)).toBe(false);
});
