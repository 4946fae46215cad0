// Whether a stored object holds what we would write, although the server has filled in defaults, dropped empty values and rewritten
// quantities, and others have added fields of their own. What it does not hold becomes a merge patch.

import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "./json.ts";

/** Whether everything that is wanted is there; more may be. */
export function holds(seen: Json | undefined, wanted: Json): boolean {
  // Null asks for nothing; what is empty may have been left out.
  if (wanted === null || (seen === undefined && isEmpty(wanted))) return true;
  if (isJsonObject(wanted))
    return isJsonObject(seen) && Object.keys(wanted).every((key) => holdsKey(seen, wanted, key));
  if (isJsonList(wanted)) return isJsonList(seen) && holdsList(seen, wanted);
  return seen !== undefined && isSameScalar(seen, wanted);
}

/** The smallest JSON merge patch after which an object holds what is wanted; undefined when it does. Lists are replaced as a whole. */
export function patchToHold(seen: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const changes = Object.entries(wanted).flatMap(([key, value]): readonly [string, Json][] => {
    const was = Object.hasOwn(seen, key) ? seen[key] : undefined;
    if (holds(was, value)) return [];
    const inner = isJsonObject(was) && isJsonObject(value) ? patchToHold(was, value) : value;
    return inner === undefined ? [] : [[key, inner]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function holdsKey(seen: JsonObject, wanted: JsonObject, key: string): boolean {
  return holds(Object.hasOwn(seen, key) ? seen[key] : undefined, wanted[key] ?? null);
}

/** Lists of named things are maps to the server: order and what others put between do not matter. */
function holdsList(seen: JsonList, wanted: JsonList): boolean {
  if (wanted.length > 0 && wanted.every(isNamed))
    return wanted.every((each) => seen.some((one) => isNamed(one) && holds(one, each)));
  return seen.length === wanted.length && wanted.every((each, index) => holds(seen[index], each));
}

function isNamed(value: Json): value is JsonObject {
  return isJsonObject(value) && typeof value.name === "string";
}

/** What the server may leave out when it stores it. */
function isEmpty(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === "" || value === 0 || value === false;
}

function isSameScalar(seen: Json, wanted: Json): boolean {
  if (seen === wanted) return true;
  const isText = (value: Json): value is string | number => typeof value === "string" || typeof value === "number";
  if (!isText(seen) || !isText(wanted)) return false;
  const [one, other] = [parseQuantity(String(seen)), parseQuantity(String(wanted))];
  return one.ok && other.ok && compareQuantities(one.value, other.value) === 0;
}
