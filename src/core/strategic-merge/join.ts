// The plainest meeting of two lists of objects, which the layers of a template have again and again: all that the patch brings is new. Its
// elements then stand before the others, as they are. Which keys a list has is remembered from layer to layer, so that a layer
// costs what it adds and not what has come together.
//
// Guarantees: it says what `mergeKeyedLists` would say, or nothing where that takes more than a glance.
import { isJsonObject, type Json, type JsonList } from "../json/json.ts";
import { ownValue } from "./draft.ts";
import type { ListPlace } from "./place.ts";

/** Lists that were put together here, each with the keys of its elements, which all differ. Keys too many only lead the long way. */
export type PlainLists = Map<JsonList, Set<Json>>;

/** Shorter lists are merged as quickly as their keys are collected. */
const LENGTH_MIN = 16;

/** Both lists in one, if no element of the patch is in the other; undefined if one is, if nobody remembers, or if somebody keeps record. */
export function joinNew(
  original: JsonList,
  patch: JsonList,
  { schema, trace, plain }: ListPlace,
): JsonList | undefined {
  if (plain === undefined || trace !== undefined || original.length < LENGTH_MIN) return undefined;
  const { isMerged, mergeKey } = schema;
  if (!isMerged || mergeKey === "" || patch.length === 0) return undefined;
  const keys = plain.get(original) ?? new Set();
  const isPlain = keys.size > 0 || addKeys(keys, original, mergeKey);
  if (!isPlain || !addKeys(keys, patch, mergeKey)) return undefined;
  const list = patch.concat(original);
  plain.set(list, keys);
  return list;
}

/** Adds the keys of a list; false where an element has none, has one that is there, or has something to say by `$patch`. */
function addKeys(keys: Set<Json>, list: JsonList, mergeKey: string): boolean {
  for (const element of list) {
    if (!isJsonObject(element) || Object.hasOwn(element, "$patch")) return false;
    const key = ownValue(element, mergeKey);
    if ((typeof key !== "string" && typeof key !== "number") || keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}
