// A value under its type: which of the possible types applies, and the path element of a list's item. Every walk over typed
// values asks here, so that all of them see the same elements.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { type FieldType, type ListType, type MapType, noList, noMap } from "./field-types.ts";
import { elementJson } from "./path-element.ts";

export type Shape = "map" | "list" | "scalar";

/** The type that applies to a value; null, and a value that the type does not allow, count as the first there is. */
export function shapeOf(type: FieldType, value: Json): Shape {
  if (value !== null) {
    if (typeof value !== "object") {
      if (type.scalar !== undefined) return "scalar";
    } else if (isJsonList(value)) {
      if (type.list !== noList) return "list";
    } else if (type.map !== noMap) return "map";
  }
  if (type.map !== noMap) return "map";
  return type.scalar !== undefined ? "scalar" : "list";
}

/** The map that is owned piece by piece; undefined for a leaf: an atomic or empty map, or no map. */
export function openMap(type: MapType, value: Json | undefined): JsonObject | undefined {
  if (type.isAtomic || !isJsonObject(value)) return undefined;
  for (const _ in value) return value;
  return undefined;
}

/** The list that is owned piece by piece; undefined for a leaf: an atomic or empty list, or no list. */
export function openList(type: ListType, value: Json | undefined): readonly Json[] | undefined {
  return type.isAtomic || !isJsonList(value) || value.length === 0 ? undefined : value;
}

/** The path element of an item; undefined where it has none (see elementFault). */
export function elementOf(list: ListType, item: Json): string | undefined {
  if (list.keys.length === 0) return typeof item === "object" ? undefined : `v:${elementJson(item)}`;
  if (!isJsonObject(item)) return undefined;
  let text = "";
  for (const key of list.keys) {
    const own = ownValue(item, key.name);
    const value = own === undefined ? key.fallback : own;
    if (value !== undefined) text += `${text === "" ? "" : ","}${key.text}:${elementJson(value)}`;
  }
  return text === "" ? undefined : `k:{${text}}`;
}

/** True if an item has a path element. */
export function hasElement({ keys }: ListType, item: Json): boolean {
  if (keys.length === 0) return typeof item !== "object";
  if (!isJsonObject(item)) return false;
  for (const { name, fallback } of keys) if (fallback !== undefined || Object.hasOwn(item, name)) return true;
  return false;
}

/** Why an item has no path element, in the real server's words. */
export function elementFault(list: ListType, item: Json): string {
  if (list.keys.length === 0) {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (isJsonList(item)) return "not supported: associative list with lists as elements";
    return "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const names = list.keyNames.map((name) => JSON.stringify(name)).join(" ");
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}
