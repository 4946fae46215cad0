// Lists that are maps or sets (`x-kubernetes-list-type`): no key and no member may stand twice, and elements of map lists
// are recognised across an update by their keys.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { duplicateValue, type FieldError, invalidValue } from "../faults/field-error.ts";
import type { Schema } from "../schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The faults of all lists with keys below a value; forgiven as long as the old value has such faults too. */
export function validateLists(schema: SchemaNode, value: Json, old?: Json): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (schema.hasKeyedLists) visit(schema, value, "", faults);
  if (faults.length > 0 && old !== undefined && validateLists(schema, old).length > 0) return [];
  return faults;
}

function visit(node: SchemaNode, value: Json, path: string, faults: FieldError[]): void {
  if (isJsonList(value)) {
    faults.push(...listFaults(node.schema, value, path));
    const { items } = node;
    if (items?.hasKeyedLists !== true) return;
    for (const [index, item] of value.entries()) visit(items, item, `${path}[${index}]`, faults);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const property = node.properties.get(key);
      const child = property ?? node.additional;
      if (child?.hasKeyedLists !== true) continue;
      const where = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      visit(child, value[key] ?? null, where, faults);
    }
  }
}

function listFaults(schema: Schema, list: JsonList, path: string): readonly FieldError[] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return [];
  const odd = type === "map" ? list.findIndex((item) => item !== null && !isJsonObject(item)) : -1;
  if (odd !== -1)
    return [invalidValue(`${path}[${odd}]`, list[odd] ?? null, "must be an object for an array of list-type map")];
  const seen = new Map<string, number>();
  const faults: FieldError[] = [];
  for (const [index, item] of list.entries()) {
    const text = type === "set" ? memberText(item) : keyText(schema, item);
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    // Only the first repetition is named.
    if (count === 2) faults.push(duplicateValue(`${path}[${index}]`, type === "set" ? item : keysOf(schema, item)));
  }
  return faults;
}

/** Equal for equal members; most are short texts, which need no canonical form. */
function memberText(member: Json): string {
  return typeof member === "string" ? `"${member}` : canonicalJson(member);
}

function keyText(schema: Schema, item: Json): string {
  const [key = "", ...more] = schema["x-kubernetes-list-map-keys"] ?? [];
  const isPlain = more.length === 0 && isJsonObject(item) && Object.hasOwn(item, key);
  return isPlain ? memberText(item[key] ?? null) : canonicalJson(keysOf(schema, item));
}

function keysOf(schema: Schema, item: Json): JsonObject {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key] ?? null] as const] : [])),
  );
}

/** Finds the old element that an element of a map list continues; nothing in other lists. */
export function oldItemsOf(schema: Schema, old: Json | undefined): (item: Json) => Json | undefined {
  if (schema["x-kubernetes-list-type"] !== "map" || !isJsonList(old)) return () => undefined;
  const byKeys = new Map(old.map((item) => [keyText(schema, item), item]));
  return (item) => byKeys.get(keyText(schema, item));
}
