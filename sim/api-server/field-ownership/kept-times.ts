// A write that changes nothing but the times of managed fields is none: the times go back to what they were, so that the object
// equals the stored one and no version is spent. Only the end of a write can tell, after defaults and the rules of the kind.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, withFields, withMeta } from "../api-object.ts";
import { isSameJson } from "../same-json.ts";

/** The object as it is to be stored; with the old managed fields if only their times differ. */
export function withKeptTimes(next: JsonObject, old: JsonObject): JsonObject {
  const entries = metaOf(next).managedFields;
  const oldEntries = metaOf(old).managedFields;
  if (!isJsonList(entries) || !isJsonList(oldEntries) || entries === oldEntries) return next;
  if (entries.length !== oldEntries.length) return next;
  const isSame = entries.every((entry, at) => isSameJson(timeless(entry), timeless(oldEntries[at] ?? null)));
  if (!isSame) return next;
  const kept = withMeta(next, { managedFields: oldEntries });
  return isSameJson(kept, old) ? kept : next;
}

function timeless(entry: Json): Json {
  return isJsonObject(entry) ? withFields(entry, { time: undefined }) : entry;
}
