// Changes to immutable JSON values: what stays the same keeps its identity, so that a write copies only what it changes
// and nobody copies what was not changed at all.
import type { Json, JsonList, JsonObject } from "../../src/core/json.ts";

/** A list with each item replaced by what `change` makes of it; the same list when nothing changes. */
export function changeItems(list: JsonList, change: (item: Json, index: number) => Json): JsonList {
  let changed: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = change(item, index);
    if (changed === undefined && next !== item) changed = list.slice(0, index);
    changed?.push(next);
  }
  return changed ?? list;
}

/** An object with each value replaced by what `change` makes of it, undefined dropping the key; the same one when nothing changes. */
export function changeValues(object: JsonObject, change: (value: Json, key: string) => Json | undefined): JsonObject {
  let changed: [string, Json][] | undefined;
  const entries = Object.entries(object);
  for (const [index, [key, value]] of entries.entries()) {
    const next = change(value, key);
    if (changed === undefined && next !== value) changed = entries.slice(0, index);
    if (next !== undefined) changed?.push([key, next]);
  }
  // Made from entries, since assigning to a key named __proto__ would set the prototype.
  return changed === undefined ? object : Object.fromEntries(changed);
}
