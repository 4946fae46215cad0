import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "./json.ts";
import { holds, patchToHold } from "./json-holding.ts";

describe("holds", () => {
  const rows: readonly (readonly [string, Json | undefined, Json, boolean])[] = [
    ["what is there", { a: 1 }, { a: 1 }, true],
    ["fields that the server or others added", { a: 1, b: 2 }, { a: 1 }, true],
    ["no field that is missing", { a: 1 }, { a: 1, b: 2 }, false],
    ["no other value", { a: "x" }, { a: "y" }, false],
    ["an empty value that was left out", {}, { a: "", b: false, c: 0, d: [], e: {}, f: null }, true],
    ["whatever stands where null is asked for", { a: 1 }, { a: null }, true],
    ["no false where true stands", { a: true }, { a: false }, false],
    ["no empty list where elements stand", { a: [1] }, { a: [] }, false],
    ["an empty object with settings of others", { emptyDir: { medium: "Memory" } }, { emptyDir: {} }, true],
    ["a quantity in the server's words", { cpu: "500m" }, { cpu: 0.5 }, true],
    ["no other quantity", { cpu: "500m" }, { cpu: "501m" }, false],
    [
      "named elements among others in any order",
      [{ name: "b" }, { name: "x" }, { name: "a", n: 1 }],
      [{ name: "a" }, { name: "b" }],
      true,
    ],
    ["no named element that differs", [{ name: "a", image: "v2" }], [{ name: "a", image: "v1" }], false],
    [
      "two elements of one name",
      [
        { name: "v", at: "/a" },
        { name: "v", at: "/b" },
      ],
      [
        { name: "v", at: "/b" },
        { name: "v", at: "/a" },
      ],
      true,
    ],
    ["plain lists only when they are equal", ["a", "b"], ["b", "a"], false],
    ["nothing where another type stands", "text", { a: 1 }, false],
    ["no key that every object inherits", {}, { constructor: "x" }, false],
  ];
  test.each(rows)("%s", (_name, seen, wanted, is) => {
    expect(holds(seen, wanted)).toBe(is);
  });
});

test("a patch names only what differs, and replaces lists as a whole", () => {
  const seen = { a: { b: 1, c: 2 }, list: [{ name: "x", image: "v1", more: true }], kept: ["y"] };
  const wanted = { a: { b: 1, c: 3 }, list: [{ name: "x", image: "v2" }], kept: ["y"] };
  expect(patchToHold(seen, wanted)).toEqual({ a: { c: 3 }, list: [{ name: "x", image: "v2" }] });
});

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, 2, "x", "y", true, false, ""),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("name", "b", "c"), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const objects = fc.dictionary(fc.constantFrom("a", "b", "c"), values, { maxKeys: 3 });

test("after its patch an object holds what is wanted, and needs no other", () => {
  fc.assert(
    fc.property(objects, objects, (seen, wanted) => {
      const patch = patchToHold(seen, wanted);
      const patched = patch === undefined ? seen : mergePatched(seen, patch);
      expect([holds(patched, wanted), patchToHold(patched, wanted)]).toEqual([true, undefined]);
      expect(patch === undefined).toBe(holds(seen, wanted));
    }),
  );
});

function mergePatched(object: JsonObject, patch: JsonObject): JsonObject {
  const isObject = (value: Json | undefined): value is JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(patch).map(([key, value]): [string, Json] => {
    const was = object[key];
    return [key, isObject(value) ? mergePatched(isObject(was) ? was : {}, value) : value];
  });
  return { ...object, ...Object.fromEntries(entries) };
}
