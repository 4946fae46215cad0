// What a parsed JSON document may hold. Integers beyond 2^53 are bigint, so that no digit of an int64 is lost.

export type Json = null | boolean | number | bigint | string | JsonList | JsonObject;
export type JsonList = readonly Json[];
export type JsonObject = { readonly [key: string]: Json };

/** True for a JSON object: not null, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON list; unlike Array.isArray it keeps the elements' type and narrows both ways. */
export function isJsonList(value: Json | undefined): value is JsonList {
  return Array.isArray(value);
}
