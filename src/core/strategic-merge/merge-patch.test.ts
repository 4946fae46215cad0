import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { mergePatch } from "./merge-patch.ts";

test.each<readonly [string, Json, Json, Json]>([
  ["a member is replaced", { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
  ["a member is added", { a: 1 }, { b: { c: 1 } }, { a: 1, b: { c: 1 } }],
  [
    "null takes a member away, and its nulls are no members",
    { a: 1, b: 1 },
    { a: null, c: { d: null } },
    { b: 1, c: {} },
  ],
  ["objects are merged", { a: { b: 1, c: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  ["lists are replaced", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["an object takes the place of anything else", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ["a patch that is no object is the value", { a: 1 }, 7, 7],
  ["a dangerous key is a key", {}, JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
])("%s", (_, value, patch, expected) => {
  expect(mergePatch(value, patch)).toEqual(expected);
});
