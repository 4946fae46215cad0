// JSON patches against the rules of RFC 6902; merge patches against RFC 7386.
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { inPatchedOrder, mergePatch } from "./merge-patch.ts";

const cases: readonly [document: Json, steps: readonly Json[], after: Json | undefined][] = [
  [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  [{ a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
  [{ a: [1] }, [{ op: "add", path: "/a/2", value: 2 }], undefined],
  [{ a: [1] }, [{ op: "add", path: "/a/01", value: 2 }], undefined],
  [{}, [{ op: "add", path: "/a/b", value: 1 }], undefined],
  [{ a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
  [{}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
  [{}, [{ op: "replace", path: "/a/b", value: 1 }], undefined],
  [{ a: [1, 2] }, [{ op: "replace", path: "/a/1", value: 3 }], { a: [1, 3] }],
  [{ a: { b: 1, c: 2 } }, [{ op: "remove", path: "/a/b" }], { a: { c: 2 } }],
  [{ a: [1, 2] }, [{ op: "remove", path: "/a/0" }], { a: [2] }],
  [{ a: [1] }, [{ op: "remove", path: "/a/1" }], undefined],
  [{ a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
  [{ a: [1, 2] }, [{ op: "move", from: "/a/0", path: "/a/1" }], { a: [2, 1] }],
  [{ a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
  [{ a: 1 }, [{ op: "copy", from: "/b", path: "/c" }], { a: 1, c: null }],
  [{ a: [1] }, [{ op: "copy", from: "/a/1", path: "/c" }], undefined],
  [{ a: 1 }, [{ op: "move", from: "/b", path: "/c" }], undefined],
  [{ a: { b: [1] } }, [{ op: "test", path: "/a", value: { b: [1] } }], { a: { b: [1] } }],
  [{ a: 1 }, [{ op: "test", path: "/a", value: "1" }], undefined],
  [
    { "a/b": 1, "m~n": 2 },
    [
      { op: "remove", path: "/a~1b" },
      { op: "remove", path: "/m~0n" },
    ],
    {},
  ],
  [{ a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
  [{ a: 1 }, [{ op: "add", path: "a", value: 1 }], undefined],
  [{ a: 1 }, [{ op: "add", path: "/b" }], undefined],
  [JSON.parse('{"__proto__":1}'), [{ op: "replace", path: "/__proto__", value: 2 }], JSON.parse('{"__proto__":2}')],
  [{}, [{ op: "remove", path: "/constructor" }], undefined],
];

test.each(cases)("%j with %j", (document, steps, after) => {
  const before = JSON.stringify(document);
  expect(JSON.stringify(applyJsonPatch(document, steps))).toBe(JSON.stringify(after));
  expect(JSON.stringify(document)).toBe(before);
});

test("a merge patch sets, removes and goes into objects, and shares what it leaves alone", () => {
  const original = { a: 1, b: { c: 1, d: 2 }, e: { f: 1 }, g: [1] };
  const merged = mergePatch(original, { a: null, b: { c: null, x: { y: null, z: 1 } }, g: [2], n: { o: null } });
  expect(merged).toEqual({ b: { d: 2, x: { z: 1 } }, e: { f: 1 }, g: [2], n: {} });
  expect(merged.e).toBe(original.e);
});

test("a patched object is quoted with its keys in order where the patch reached", () => {
  const patched = { kind: "K", b: { z: 1, a: 2 }, a: { z: 1, a: 2 } };
  expect(JSON.stringify(inPatchedOrder(patched, { a: { z: 1 } }))).toBe(
    '{"a":{"a":2,"z":1},"b":{"z":1,"a":2},"kind":"K"}',
  );
});
