// Reading parts of an object that nobody has checked: a part of another type counts as empty, so that a check can go on and
// the schema says what is wrong.
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

const NO_OBJECT: JsonObject = Object.freeze({});
const NO_LIST: readonly Json[] = Object.freeze([]);

/** The object under a key; empty if there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : NO_OBJECT;
}

/** The elements of a list; none if it is no list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : NO_LIST;
}

/** The written spec of an object of any shape. */
export function specOf(object: unknown): JsonObject {
  return isJsonObject(object) ? objectAt(object, "spec") : NO_OBJECT;
}
