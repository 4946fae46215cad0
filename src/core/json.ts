// The values of parsed JSON documents, and how to tell them apart.
import type { Json, JsonList, JsonObject } from "../json/json.ts";

export type { Json, JsonList, JsonObject };

/** True for a JSON object: not null, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON list; unlike Array.isArray it keeps the elements' type and narrows both ways. */
export function isJsonList(value: Json | undefined): value is JsonList {
  return Array.isArray(value);
}
