import { expect, test } from "vitest";
import type { JsonObject } from "../core/json/json.ts";
import { jsonPatch } from "./json-patch.ts";

test.each<readonly [string, JsonObject, JsonObject, readonly object[]]>([
  ["nothing", { a: { b: 1 } }, { a: { b: 1 } }, []],
  ["a member more", { a: {} }, { a: { b: 1 } }, [{ op: "add", path: "/a/b", value: 1 }]],
  ["a member less", { a: { b: 1 } }, { a: {} }, [{ op: "remove", path: "/a/b" }]],
  ["another value", { a: { b: 1 } }, { a: { b: 2 } }, [{ op: "replace", path: "/a/b", value: 2 }]],
  ["another list", { a: [1, 2] }, { a: [1, 3] }, [{ op: "replace", path: "/a", value: [1, 3] }]],
  ["the same list in a copy", { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, []],
  ["another type", { a: { b: 1 } }, { a: 1 }, [{ op: "replace", path: "/a", value: 1 }]],
  ["a null in place of a value", { a: 1 }, { a: null }, [{ op: "replace", path: "/a", value: null }]],
  ["keys with signs", { "a/b": {} }, { "a/b": { "c~d": 1 } }, [{ op: "add", path: "/a~1b/c~0d", value: 1 }]],
  ["a key of every object's past", {}, JSON.parse('{"__proto__":1}'), [{ op: "add", path: "/__proto__", value: 1 }]],
])("%s", (_, before, after, operations) => {
  expect(jsonPatch(before, after)).toEqual(operations);
});
