// Structural defaulting: absent fields, and nulls where null is not allowed, become the schema's default, at every depth.
// Defaults are shared, not copied: values are immutable.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { changeItems, changeValues } from "../patch/change-json.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The value with every default of the schema that it lacks; the same value when it lacks none. */
export function applyDefaults(schema: SchemaNode, value: Json): Json {
  if (!schema.hasDefaults) return value;
  if (isJsonList(value)) {
    const { items } = schema;
    return items === undefined ? value : changeItems(value, (item) => defaulted(items, item));
  }
  return isJsonObject(value) ? defaultedObject(schema, value) : value;
}

function defaulted(node: SchemaNode, value: Json): Json {
  if (value === null && !node.isNullable && node.fallback !== undefined) return node.fallback;
  return applyDefaults(node, value);
}

function defaultedObject(node: SchemaNode, object: JsonObject): JsonObject {
  const filled = changeValues(object, (value, key) => {
    const child = node.properties.get(key) ?? node.additional;
    return child === undefined ? value : defaulted(child, value);
  });
  const missing = node.defaults.filter(([key]) => !Object.hasOwn(filled, key));
  return missing.length === 0 ? filled : Object.fromEntries([...Object.entries(filled), ...missing]);
}
