// The values of parsed JSON documents, and how to tell them apart.
//
// Every other file of the core builds on this type. Beside it:
//   parse-json.ts                     text to values, without losing a digit
//   canonical-json.ts, utf8-order.ts  values to text, byte for byte as Go writes it
//   json-holding.ts                   whether a stored object contains what we would write
import type { Json, JsonList, JsonObject } from "../../json/json.ts";

export type { Json, JsonList, JsonObject };

/** True for a JSON object: not null, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON list; unlike Array.isArray it keeps the elements' type and narrows both ways. */
export function isJsonList(value: Json | undefined): value is JsonList {
  return Array.isArray(value);
}
