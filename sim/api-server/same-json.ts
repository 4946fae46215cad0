// Equality of JSON values: by value, whatever the order of keys. Immutable values share structure, so most comparisons
// end at the first look.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json.ts";

/** True if two values say the same; absent (undefined) equals only absent. */
export function isSameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isJsonList(left)) {
    if (!isJsonList(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSameJson(item, right[index]));
  }
  if (isJsonObject(left)) return isJsonObject(right) && isSameObject(left, right);
  // A long integer is a bigint or a number, depending on who read it.
  if (typeof left === "bigint") return typeof right === "number" && Number.isInteger(right) && left === BigInt(right);
  return typeof right === "bigint" && typeof left === "number" && isSameJson(right, left);
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]));
}
