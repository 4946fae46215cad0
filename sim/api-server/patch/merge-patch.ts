// JSON merge patches (RFC 7386): null removes, objects meet, everything else replaces. What the patch leaves alone is shared.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue, setOwn } from "../../../src/core/strategic-merge/draft.ts";

/** The object with the patch applied. */
export function mergePatch(original: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = {};
  for (const key of Object.keys(original)) {
    const change = ownValue(patch, key);
    if (change === undefined) setOwn(merged, key, original[key] ?? null);
    else if (change !== null) setOwn(merged, key, meeting(original[key] ?? null, change));
  }
  for (const key of Object.keys(patch)) {
    const change = patch[key] ?? null;
    if (change !== null && !Object.hasOwn(original, key)) setOwn(merged, key, meeting(null, change));
  }
  return merged;
}

/** Also what meets nothing loses its nulls. */
function meeting(before: Json, change: Json): Json {
  if (!isJsonObject(change)) return change;
  return mergePatch(isJsonObject(before) ? before : {}, change);
}

/** The patched object with keys in order wherever the patch reached: so the real server quotes it in a refusal. */
export function inPatchedOrder(patched: JsonObject, patch: JsonObject): JsonObject {
  const entries = Object.entries(patched).map(([key, value]): [string, Json] => {
    const change = ownValue(patch, key);
    return [key, isJsonObject(value) && isJsonObject(change) ? inPatchedOrder(value, change) : value];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
