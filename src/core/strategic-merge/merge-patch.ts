// A JSON merge patch (RFC 7386): members take the place of members, null takes one away.
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";

/** The value after the patch; nothing of the input is changed. */
export function mergePatch(value: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(value) ? value : {}));
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), part));
  }
  return Object.fromEntries(merged);
}

/** The same for an object with an object's patch. */
export function mergeObject(object: JsonObject, patch: JsonObject): JsonObject {
  const merged = mergePatch(object, patch);
  return isJsonObject(merged) ? merged : {};
}
