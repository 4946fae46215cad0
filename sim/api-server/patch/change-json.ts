// Changes to immutable JSON values: what stays the same keeps its identity, so that a write copies only what it changes
// and nobody copies what was not changed at all. Written as plain loops: every field of every write passes here.
import type { Json, JsonList, JsonObject } from "../../../src/core/json/json.ts";
import { setOwn } from "../../../src/core/strategic-merge/draft.ts";
import { type Fields, withFields } from "../api-object.ts";

/** A list with each item replaced by what `change` makes of it; the same list when nothing changes. */
export function changeItems(list: JsonList, change: (item: Json, index: number) => Json): JsonList {
  let changed: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const next = change(item, index);
    if (changed === undefined && next !== item) changed = list.slice(0, index);
    changed?.push(next);
  }
  return changed ?? list;
}

/** An object with each value replaced by what `change` makes of it, undefined dropping the key; the same one when nothing changes. */
export function changeValues(object: JsonObject, change: (value: Json, key: string) => Json | undefined): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const key in object) {
    const value = object[key] ?? null;
    const next = change(value, key);
    if (changed === undefined && next !== value) changed = copyUntil(object, key);
    if (changed !== undefined && next !== undefined) setOwn(changed, key, next);
  }
  return changed ?? object;
}

/** A copy of the fields that stand before a key. */
function copyUntil(object: JsonObject, end: string): Record<string, Json> {
  const copy: Record<string, Json> = {};
  for (const key in object) {
    if (key === end) break;
    setOwn(copy, key, object[key] ?? null);
  }
  return copy;
}

/** The object with some fields set, undefined taking one away; the same one when all are so already. */
export function setFields(object: JsonObject, fields: Fields): JsonObject {
  for (const key in fields) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value !== fields[key]) return withFields(object, fields);
  }
  return object;
}
