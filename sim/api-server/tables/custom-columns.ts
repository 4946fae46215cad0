// The columns of a custom resource: those that its definition asks for, or its age alone. The real server shows the first
// value at a column's path, and nothing where it is of another type than the column's.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { nameOf, numberAt, objectAt, textAt } from "../api-object.ts";
import { printAge } from "./age.ts";
import { type Column, column } from "./column.ts";
import { type JsonPath, parseJsonPath, valuesAt } from "./json-path.ts";
import { objectsAt } from "./pod-cells.ts";

const ageWish: JsonObject = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns that a definition wants for one of its versions. */
export function customColumns(definition: JsonObject, version: string): readonly Column[] {
  const served = objectsAt(objectAt(definition, "spec"), "versions").find(({ name }) => name === version);
  const wishes = objectsAt(served ?? {}, "additionalPrinterColumns");
  return [column("Name", nameOf), ...(wishes.length === 0 ? [ageWish] : wishes).map(columnOf)];
}

function columnOf(wish: JsonObject): Column {
  const jsonPath = textAt(wish, "jsonPath");
  const path = parseJsonPath(jsonPath);
  const type = textAt(wish, "type");
  return {
    ...{ name: textAt(wish, "name"), type, format: textAt(wish, "format"), priority: numberAt(wish, "priority") ?? 0 },
    description: textAt(wish, "description") || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    cell: (object, nowMs) => (path === undefined ? null : cellAt(object, path, type, nowMs)),
  };
}

function cellAt(object: JsonObject, path: JsonPath, type: string, nowMs: number): Json {
  const [value] = valuesAt(object, path);
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, nowMs) : null;
    default:
      return null;
  }
}

function dateCell(value: string, nowMs: number): string {
  if (value === "" || value === "null") return "<unknown>";
  return Number.isNaN(Date.parse(value)) ? "<invalid>" : printAge(value, nowMs);
}

function textOf(value: Json): string {
  if (value === null) return "<no value>";
  return isJsonList(value) || isJsonObject(value) ? printJson(value) : String(value);
}
