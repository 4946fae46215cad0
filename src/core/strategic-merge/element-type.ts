// The types that Go sees in a JSON document. Values of different types replace each other instead of merging, and all
// elements of a merged list must be of one type.
import type { Json, JsonList } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import type { FieldPath } from "./path.ts";

export type DynamicType = "null" | "boolean" | "string" | "integer" | "float" | "list" | "object";

/** The type of a value; JSON in JavaScript no longer tells 80 from 80.0, so a whole number is an integer. */
export function dynamicType(value: Json): DynamicType {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return Number.isInteger(value) ? "integer" : "float";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "list" : "object";
  }
}

/** The one type of the elements of both lists, undefined if there are none; an error where they differ. */
export function commonElementType(original: JsonList, patch: JsonList, path: FieldPath): DynamicType | undefined {
  const first = original.length > 0 ? original[0] : patch[0];
  if (first === undefined) return undefined;
  const type = dynamicType(first);
  if (type === "null") {
    throw new StrategicMergeError("goPanic", path, {
      problem: "the first element of the list is null",
      remedy: "remove it",
    });
  }
  if (type === "list") {
    throw new StrategicMergeError("listOfLists", path, {
      problem: "the first element of the list is itself a list",
      remedy: "give a flat list",
    });
  }
  requireType(original, type, path);
  requireType(patch, type, path);
  return type;
}

function requireType(list: JsonList, type: DynamicType, path: FieldPath): void {
  for (const element of list) {
    if (dynamicType(element) === type) continue;
    throw new StrategicMergeError("mixedElementTypes", path, {
      problem: `the template's and the patch's elements must be of one type, but there are ${type} and ${dynamicType(element)}`,
      remedy: "make them alike",
    });
  }
}
