// What a write changed: the fields that it set, and those that it took away. A change of a leaf sets it; a value that is there
// on one side only counts with everything in it. Mirrors Compare.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { isSameJson } from "../same-json.ts";
import { type FieldSet, finishBranch, leaf, noFields, startBranch } from "./field-set.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { elementOf, openList, openMap, type Shape, shapeOf } from "./typed-value.ts";

export type Changes = { readonly written: FieldSet; readonly removed: FieldSet };

/** The changes from one state of an object to the next. */
export function changesBetween(type: FieldType, before: JsonObject, after: JsonObject): Changes {
  return {
    written: newBranch(type, before, after, true) ?? noFields,
    removed: newBranch(type, after, before, false) ?? noFields,
  };
}

/** The branch of what is new in a value against another; changed leaves are new if they count. */
function newBranch(type: FieldType, from: Json | undefined, to: Json, countsChanges: boolean): FieldSet | undefined {
  if (from === to) return undefined;
  const isNew = from === undefined || (countsChanges && isLeafBetween(type, from, to) && !isSameJson(from, to));
  const shape = shapeOf(type, to);
  const map = shape === "map" ? openMap(type.map, to) : undefined;
  if (map !== undefined) return branchOfMap(type.map, { from: openMap(type.map, from), to: map, isNew, countsChanges });
  const list = shape === "list" ? openList(type.list, to) : undefined;
  if (list !== undefined)
    return branchOfList(type.list, { from: openList(type.list, from), to: list, isNew, countsChanges });
  return isNew ? leaf : undefined;
}

/** True if two values are compared as a whole: under the type of either, neither is owned piece by piece. */
function isLeafBetween(type: FieldType, from: Json, to: Json): boolean {
  const shape = shapeOf(type, to);
  const other = shapeOf(type, from);
  return isLeafAs(shape, type, from, to) || (other !== shape && isLeafAs(other, type, from, to));
}

function isLeafAs(shape: Shape, type: FieldType, from: Json, to: Json): boolean {
  if (shape === "map") return openMap(type.map, from) === undefined && openMap(type.map, to) === undefined;
  if (shape === "list") return openList(type.list, from) === undefined && openList(type.list, to) === undefined;
  return true;
}

type Pair<Value> = {
  readonly from: Value | undefined;
  readonly to: Value;
  readonly isNew: boolean;
  readonly countsChanges: boolean;
};

function branchOfMap(type: MapType, { from, to, isNew, countsChanges }: Pair<JsonObject>): FieldSet | undefined {
  const draft = startBranch(isNew);
  for (const key in to) {
    const value = to[key];
    const old = from === undefined ? undefined : ownValue(from, key);
    if (value === undefined || value === old) continue;
    const named = type.fields.get(key);
    const valueType = named === undefined ? type.others : named.type;
    const branch = valueType === undefined ? undefined : newBranch(valueType, old, value, countsChanges);
    if (branch !== undefined) draft[named?.element ?? `f:${key}`] = branch;
  }
  return finishBranch(draft);
}

function branchOfList(type: ListType, { from, to, isNew, countsChanges }: Pair<readonly Json[]>): FieldSet | undefined {
  const draft = startBranch(isNew);
  const old = itemsByElement(type, from ?? []);
  for (const [element, items] of itemsByElement(type, to)) {
    const others = old.get(element) ?? [];
    const branch =
      items.length > 1
        ? newRepeated(items, others, countsChanges)
        : newItem(type, items[0] ?? null, others, countsChanges);
    if (branch !== undefined) draft[element] = branch;
  }
  return finishBranch(draft);
}

/** An element that stands several times is one leaf. */
function newRepeated(items: readonly Json[], others: readonly Json[], countsChanges: boolean): FieldSet | undefined {
  if (others.length < 2) return leaf;
  return countsChanges && !isSameJson(items, others) ? leaf : undefined;
}

function newItem(type: ListType, item: Json, others: readonly Json[], countsChanges: boolean): FieldSet | undefined {
  return newBranch(type.items, others.length === 1 ? others[0] : undefined, item, countsChanges);
}

function itemsByElement(type: ListType, list: readonly Json[]): ReadonlyMap<string, readonly Json[]> {
  const found = new Map<string, Json[]>();
  for (const item of list) {
    const element = elementOf(type, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
