import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { storedObject } from "../view/cluster-caches.ts";
import { mergePatchBetween, saysStall, withStall } from "./status-patch.ts";

test.each([
  ["equal", { a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, undefined],
  ["changed", { a: 1 }, { a: 2 }, { a: 2 }],
  ["added", {}, { a: { b: 1 } }, { a: { b: 1 } }],
  ["removed", { a: 1, b: 2 }, { b: 2 }, { a: null }],
  ["changed inside", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  ["a list is one value", { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ["an object in place of a list", { a: [] }, { a: {} }, { a: {} }],
  ["beyond 2^53", { a: 2n ** 60n }, { a: 2n ** 60n }, undefined],
] satisfies readonly (readonly [string, JsonObject, JsonObject, JsonObject | undefined])[])(
  "%s",
  (_, before, after, patch) => {
    expect(mergePatchBetween(before, after)).toEqual(patch);
  },
);

const leaf = fc.constantFrom<Json>(1, "x", true, [1], ["x", 1]);
const tree = fc.letrec<{ tree: JsonObject }>((tie) => ({
  tree: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof({ maxDepth: 3 }, leaf, tie("tree")), { maxKeys: 3 }),
})).tree;

test("applied to the one, the patch gives the other; and between equals there is none", () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const patch = mergePatchBetween(before, after);
      expect(patch === undefined ? before : merged(before, patch)).toEqual(after);
      expect(mergePatchBetween(after, after)).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

/** RFC 7396. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const stall = { reason: "Forbidden", message: "no role" } as const;
const aToy = (conditions: Json) => storedObject({ metadata: { generation: 3 }, status: { conditions } });
const said = { type: "Stalled", status: "True", reason: "Forbidden", lastTransitionTime: "2020-01-01T00:00:00Z" };

test("what is refused replaces what the object itself says of Stalled, and leaves the other conditions alone", () => {
  const decided = {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Stalled", status: "False" },
    ],
  };
  expect(withStall(decided, stall, aToy([]), 0).conditions).toEqual([
    { type: "Ready", status: "True" },
    {
      ...{ type: "Stalled", status: "True", observedGeneration: 3, reason: "Forbidden", message: "no role" },
      lastTransitionTime: "1970-01-01T00:00:00Z",
    },
  ]);
});

test("what was refused before keeps the instant from which it was, whatever the object says of itself", () => {
  const decided = { conditions: [{ type: "Stalled", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" }] };
  expect(withStall(decided, stall, aToy([said]), 0).conditions).toMatchObject([
    { status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" },
  ]);
});

test("it is known whether people have been told already", () => {
  expect([saysStall(aToy([said]), stall), saysStall(aToy([]), stall), saysStall(aToy("nonsense"), stall)]).toEqual([
    ...[true, false, false],
  ]);
});
