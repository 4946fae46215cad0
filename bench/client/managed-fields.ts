// What an API server notes about who set which field: a quarter to a third of the bytes of an object. It is made here from
// the object itself, as a server does it, so that its share of the bytes is like that of real objects.
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";

/** The members by which items of a list are told apart, in the order of trying; a list without any is one field. */
const ITEM_KEYS = ["name", "type", "mountPath", "containerPort", "uid", "ip"];

/** One entry of `metadata.managedFields`: the manager set all fields of these parts of the object. */
export function managedEntry(manager: string, parts: JsonObject, subresource?: string): JsonObject {
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-11-15T21:58:02Z",
    fieldsType: "FieldsV1",
    fieldsV1: fieldsOf(parts),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function fieldsOf(value: Json): JsonObject {
  if (Array.isArray(value)) return fieldsOfList(value);
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [`f:${name}`, fieldsOf(member)]));
}

function fieldsOfList(items: readonly Json[]): JsonObject {
  const fields: Record<string, Json> = {};
  for (const item of items) {
    const key = isJsonObject(item) ? ITEM_KEYS.find((name) => Object.hasOwn(item, name)) : undefined;
    if (!isJsonObject(item) || key === undefined) return {};
    fields[`k:${JSON.stringify({ [key]: item[key] })}`] = { ".": {}, ...fieldsOf(item) };
  }
  return fields;
}
