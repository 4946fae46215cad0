// Equality of JSON values: how an answer of Go and one of ours are compared.
import type { Json, JsonList } from "../../src/core/json/json.ts";

/** True when two values are the same JSON: the order of keys is irrelevant, the order of list elements is not. */
export function isSameJson(left: Json, right: Json): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return left === right;
  if (isList(left) || isList(right)) return isList(left) && isList(right) && isSameList(left, right);
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key] ?? null, right[key] ?? null));
}

function isSameList(left: JsonList, right: JsonList): boolean {
  return left.length === right.length && left.every((element, at) => isSameJson(element, right[at] ?? null));
}

function isList(value: Json): value is JsonList {
  return Array.isArray(value);
}
