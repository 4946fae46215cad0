// From an object to the fields it names: what an applied configuration asks to own. Leaves are fields, and so are elements of
// lists and keys of maps that the schema does not name; named fields that only hold others are not. Mirrors ToFieldSet.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { type FieldSet, type FieldSetDraft, finishBranch, leaf, noFields, startBranch } from "./field-set.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { elementOf, openList, openMap, shapeOf } from "./typed-value.ts";

/** The fields that an object names. */
export function fieldSetOf(type: FieldType, object: JsonObject): FieldSet {
  return branchOfValue(type, object, false) ?? noFields;
}

/** The branch of a value; `isField` says that it is a field of its own, whatever it holds. */
function branchOfValue(type: FieldType, value: Json, isField: boolean): FieldSet | undefined {
  switch (shapeOf(type, value)) {
    case "scalar":
      return leaf;
    case "map": {
      const map = openMap(type.map, value);
      if (map !== undefined) return branchOfMap(type.map, map, isField);
      return isField || type.map.isAtomic ? leaf : undefined;
    }
    case "list": {
      const list = openList(type.list, value);
      if (list !== undefined) return branchOfList(type.list, list, isField);
      return isField || type.list.isAtomic ? leaf : undefined;
    }
  }
}

function branchOfMap(type: MapType, map: JsonObject, isField: boolean): FieldSet | undefined {
  const draft = startBranch(isField);
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const named = type.fields.get(key);
    if (named !== undefined) put(draft, named.element, branchOfValue(named.type, value, isNothing(value)));
    else if (type.others !== undefined) put(draft, `f:${key}`, branchOfValue(type.others, value, true));
  }
  return finishBranch(draft);
}

function put(draft: FieldSetDraft, element: string, branch: FieldSet | undefined): void {
  if (branch !== undefined) draft[element] = branch;
}

function isNothing(value: Json): boolean {
  if (!isJsonObject(value)) return value === null;
  for (const _ in value) return false;
  return true;
}

function branchOfList(type: ListType, list: readonly Json[], isField: boolean): FieldSet | undefined {
  const draft = startBranch(isField);
  for (const item of list) {
    const element = elementOf(type, item);
    if (element === undefined) continue;
    // An element that stands twice is owned as one.
    draft[element] = draft[element] === undefined ? (branchOfValue(type.items, item, true) ?? leaf) : leaf;
  }
  return finishBranch(draft);
}
