// Equality of JSON values: by value, whatever the order of keys. Immutable values share structure, so most comparisons
// end at the first look.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../src/core/json/json.ts";
import { ownValue, setOwn } from "../../src/core/strategic-merge/draft.ts";

/** True if two values say the same; absent (undefined) equals only absent. */
export function isSameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isJsonList(left)) {
    if (!isJsonList(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
    return true;
  }
  if (isJsonObject(left)) return isJsonObject(right) && isSameObject(left, right);
  // A long integer is a bigint or a number, depending on who read it.
  if (typeof left === "bigint") return typeof right === "number" && Number.isInteger(right) && left === BigInt(right);
  return typeof right === "bigint" && typeof left === "number" && isSameJson(right, left);
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  let missing = sizeOf(right);
  for (const key in left) {
    missing -= 1;
    if (!Object.hasOwn(right, key) || !isSameJson(left[key], right[key])) return false;
  }
  return missing === 0;
}

/** How many fields an object has; loops over keys, unlike lists of them, cost no memory. */
export function sizeOf(object: JsonObject): number {
  let size = 0;
  for (const _ in object) size += 1;
  return size;
}

/**
 * The next state of an object with every part that is as it was replaced by the old one. Whoever compares the two later is done
 * at the first look, and a history of states holds each part once.
 */
export function withSharedParts(next: JsonObject, old: JsonObject): JsonObject {
  let isOld = sizeOf(next) === sizeOf(old);
  let shared: Record<string, Json> | undefined;
  for (const key in next) {
    const value = next[key] ?? null;
    const before = ownValue(old, key);
    const part = sharedPart(value, before);
    isOld &&= part === before;
    if (part === value) continue;
    shared ??= { ...next };
    setOwn(shared, key, part);
  }
  return isOld ? old : (shared ?? next);
}

function sharedPart(next: Json, old: Json | undefined): Json {
  if (next === old || old === undefined || old === null || typeof next !== typeof old) return next;
  if (isJsonList(next)) return isJsonList(old) ? withSharedItems(next, old) : next;
  return isJsonObject(next) && isJsonObject(old) ? withSharedParts(next, old) : next;
}

function withSharedItems(next: JsonList, old: JsonList): JsonList {
  let isOld = next.length === old.length;
  let shared: Json[] | undefined;
  for (let index = 0; index < next.length; index++) {
    const item = next[index] ?? null;
    const part = sharedPart(item, old[index]);
    isOld &&= part === old[index];
    if (part === item) continue;
    shared ??= next.slice();
    shared[index] = part;
  }
  return isOld ? old : (shared ?? next);
}
