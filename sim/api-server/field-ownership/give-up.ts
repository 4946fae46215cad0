// What leaves an object when a manager no longer applies it: fields, elements and keys that it owned, that it does not name any
// more and that nobody else owns. Mirrors the pruning of Apply, whose three passes over the whole object come down to one walk
// along what the manager had.
import { isJsonList, type Json, type JsonObject } from "../../../src/core/json.ts";
import { changeValues } from "../change-json.ts";
import { type FieldSet, hasFieldsBelow, isMember } from "./field-set.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { elementOf, openList, openMap } from "./typed-value.ts";

export type GivenUp = {
  /** What the manager owned before. */
  readonly last: FieldSet;
  /** What anybody owns now, this manager with its new configuration included. */
  readonly owned: FieldSet;
};

/** The merged object without what was given up; a map or list that loses all its content becomes null. */
export function withoutGivenUp(type: FieldType, merged: JsonObject, { last, owned }: GivenUp): JsonObject {
  return removeFromMap(type.map, merged, { last, owned, isUnowned: false });
}

type Walk = {
  readonly last: FieldSet;
  readonly owned: FieldSet | undefined;
  /** True below an element or key that nobody owns: it takes what is in it along, whoever owns that. */
  readonly isUnowned: boolean;
};

/** What is left of a value, undefined if it goes as a whole; `isNamed` tells named fields from keys and elements. */
function remaining(type: FieldType, value: Json, element: string, isNamed: boolean, above: Walk): Json | undefined {
  const last = above.last[element];
  if (last === undefined) return value;
  const owned = above.owned?.[element];
  // A named field belongs to whoever owns anything in it.
  const wasOwned = isMember(last) || (isNamed && hasFieldsBelow(last));
  const isOwned = owned !== undefined && (isMember(owned) || (isNamed && hasFieldsBelow(owned)));
  const isField = !isNamed || holdsFields(type, value);
  const isUnowned = above.isUnowned || (isField && !isOwned);
  if (wasOwned && isField && isUnowned) return undefined;
  const walk = { last, owned, isUnowned };
  const map = openMap(type.map, value);
  if (map !== undefined) return orNull(removeFromMap(type.map, map, walk));
  const list = openList(type.list, value);
  return list === undefined ? value : removeFromList(type.list, list, walk);
}

function removeFromMap(type: MapType, map: JsonObject, walk: Walk): JsonObject {
  return changeValues(map, (value, key) => {
    const named = type.fields.get(key);
    const valueType = named?.type ?? type.others;
    if (valueType === undefined) return value;
    return remaining(valueType, value, named?.element ?? `f:${key}`, named !== undefined, walk);
  });
}

function orNull(map: JsonObject): Json {
  for (const _ in map) return map;
  return null;
}

function removeFromList(type: ListType, list: readonly Json[], walk: Walk): Json {
  let isNew = false;
  const left: Json[] = [];
  for (const item of list) {
    const element = elementOf(type, item);
    const rest = element === undefined ? item : remaining(type.items, item, element, false, walk);
    isNew ||= rest !== item;
    if (rest !== undefined) left.push(rest);
  }
  if (!isNew) return list;
  return left.length === 0 ? null : left;
}

/** True if a value shows in the fields of its object: lists without elements do not. */
function holdsFields(type: FieldType, value: Json): boolean {
  const map = openMap(type.map, value);
  if (map === undefined) return type.list.isAtomic || !isJsonList(value) || value.length > 0;
  return Object.keys(map).some((key) => {
    const named = type.map.fields.get(key);
    return named === undefined || holdsFields(named.type, map[key] ?? null);
  });
}
