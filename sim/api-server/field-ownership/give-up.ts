// What leaves an object when a manager no longer applies it: fields, elements and keys that it owned, that it does not name any
// more and that nobody else owns. Mirrors the pruning of Apply, whose passes over the whole object come down to one walk along
// what the manager had.
import { isJsonList, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { changeValues } from "../patch/change-json.ts";
import { type FieldSet, hasFieldsBelow, isMember } from "./field-set.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { elementOf, openList, openMap } from "./typed-value.ts";

export type GivenUp = {
  /** What the manager owned before. */
  readonly last: FieldSet;
  /**
   * What anybody owns now, this manager with its new configuration included: one set per version, that of `last` first. The
   * real server asks one version after the other, and what none before has kept, the next keeps only with all that leads to it.
   */
  readonly owned: readonly FieldSet[];
};

/** The merged object without what was given up; a map or list that loses all its content becomes null. */
export function withoutGivenUp(type: FieldType, merged: JsonObject, { last, owned }: GivenUp): JsonObject {
  return removeFromMap(type.map, merged, { last, owned, isGone: [false, ...owned.map(() => false)] });
}

type Walk = {
  readonly last: FieldSet;
  readonly owned: readonly (FieldSet | undefined)[];
  /** What becomes of a value at first, and after each version was asked. */
  readonly isGone: readonly boolean[];
};

/** What is left of a value, undefined if it goes as a whole; `isNamed` tells named fields from keys and elements. */
function remaining(type: FieldType, value: Json, element: string, isNamed: boolean, above: Walk): Json | undefined {
  const last = above.last[element];
  if (last === undefined) return value;
  // A named field belongs to whoever owns anything in it.
  const isIn = (branch: FieldSet | undefined) =>
    branch !== undefined && (isMember(branch) || (isNamed && hasFieldsBelow(branch)));
  const owned = above.owned.map((set) => set?.[element]);
  const isField = !isNamed || holdsFields(type, value);
  const isGone = [above.isGone[0] === true || isIn(last)];
  for (const [at, branch] of owned.entries())
    isGone.push(above.isGone[at + 1] === true || (isField && isGone[at] === true && !isIn(branch)));
  if (isIn(last) && isField && isGone.at(-1) === true) return undefined;
  const walk = { last, owned, isGone };
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
