// Where a value does not fit its type, in the words of structured-merge-diff. The real server asks this before it merges or
// tracks anything: an apply with a fault is refused, and an update of what does not fit is not tracked.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { goText } from "../faults/go-text.ts";
import { deduced, type FieldType, type ListType, type MapType, type ScalarType } from "./field-types.ts";
import { elementText } from "./path-element.ts";
import { elementFault, elementOf, hasElement, shapeOf } from "./typed-value.ts";

export type TypeFault = { readonly path: string; readonly message: string };

export type FaultOptions = {
  /** True for objects that are there already: only an applied one may not name an element twice. */
  readonly allowsDuplicates: boolean;
};

const noFaults: readonly TypeFault[] = [];
const nothing: JsonObject = {};

/** The faults of a value, none for nearly all. */
export function typeFaults(type: FieldType, value: Json, options: FaultOptions): readonly TypeFault[] {
  return newFaults(type, value, undefined, options);
}

/** The faults of a value without those of parts that it shares with one before it. */
export function newFaults(
  type: FieldType,
  value: Json,
  before: Json | undefined,
  options: FaultOptions,
): readonly TypeFault[] {
  if (value === null || value === before || type === deduced) return noFaults;
  switch (shapeOf(type, value)) {
    case "map":
      return isJsonObject(value)
        ? mapFaults(type.map, value, isJsonObject(before) ? before : nothing, options)
        : [fault(`expected map, got ${goPointer(value)}`)];
    case "list":
      return isJsonList(value)
        ? listFaults(type.list, value, isJsonList(before) ? before : [], options)
        : [fault(`expected list, got ${goPointer(value)}`)];
    case "scalar":
      return scalarFaults(type.scalar, value);
  }
}

/** Faults as one text. */
export function faultsText(faults: readonly TypeFault[]): string {
  const lines = faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? "") : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

function fault(message: string, path = ""): TypeFault {
  return { path, message };
}

function under(element: string, faults: readonly TypeFault[]): readonly TypeFault[] {
  return faults.map(({ path, message }) => ({ path: `${elementText(element)}${path}`, message }));
}

function mapFaults(type: MapType, map: JsonObject, before: JsonObject, options: FaultOptions): readonly TypeFault[] {
  let found = noFaults;
  for (const key in map) {
    const valueType = type.fields.get(key)?.type ?? type.others;
    // The real server looks no further in a map after the first unknown field.
    if (valueType === undefined) return [...found, fault("field not declared in schema", `.${key}`)];
    const faults = newFaults(valueType, map[key] ?? null, ownValue(before, key), options);
    if (faults.length > 0) found = [...found, ...under(`f:${key}`, faults)];
  }
  return found;
}

function listFaults(type: ListType, list: JsonList, before: JsonList, options: FaultOptions): readonly TypeFault[] {
  let found = noFaults;
  const seen = new Set<string>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    if (!type.isAtomic && !hasElement(type, item))
      return [...found, fault(`element ${index}: ${elementFault(type, item)}`)];
    const faults = newFaults(type.items, item, before[index], options);
    // Most lists are without fault, and nobody asks for the names of their items.
    if (faults.length === 0 && (type.isAtomic || options.allowsDuplicates)) continue;
    const element = type.isAtomic ? `i:${index}` : (elementOf(type, item) ?? "");
    if (!type.isAtomic && !options.allowsDuplicates) {
      if (seen.has(element)) found = [...found, fault(`duplicate entries for key ${elementText(element)}`)];
      seen.add(element);
    }
    if (faults.length > 0) found = [...found, ...under(element, faults)];
  }
  return found;
}

function scalarFaults(type: ScalarType | undefined, value: Json): readonly TypeFault[] {
  switch (type) {
    case "numeric":
      if (typeof value === "number" || typeof value === "bigint") return noFaults;
      return [fault(`expected numeric (int or float), got ${goType(value)}`)];
    case "string":
      if (typeof value === "string") return noFaults;
      return [fault(`expected string, got &value.valueUnstructured{Value:${goText(value, true)}}`)];
    case "boolean":
      return typeof value === "boolean" ? noFaults : [fault(`expected boolean, got ${goPointer(value)}`)];
    default:
      return typeof value !== "object" ? noFaults : [fault(`expected any scalar, got ${goPointer(value)}`)];
  }
}

function goType(value: Json): string {
  if (typeof value !== "object") return typeof value === "boolean" ? "bool" : typeof value;
  return isJsonList(value) ? "[]interface {}" : "map[string]interface {}";
}

/** The box around a value, as Go prints it with `%v`. */
function goPointer(value: Json): string {
  return `&{${goText(value, false)}}`;
}
