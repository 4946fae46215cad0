// A column of a table, in the terms of the real server: what it is called and what stands in it for an object.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, nameOf, textAt, valueAtPath } from "../api-object.ts";
import { printAge } from "./age.ts";

export type Column = {
  readonly name: string;
  /** An OpenAPI type, or `date`. */
  readonly type: string;
  /** `name` marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; others only when a client asks for a wide table. */
  readonly priority: number;
  readonly cell: Cell;
};

export type Cell = (object: JsonObject, nowMs: number) => Json;

/** A column that is always shown. */
export function column(name: string, cell: Cell, type = "string"): Column {
  const format = name === "Name" ? "name" : "";
  return { name, type, format, description: "", priority: 0, cell };
}

/** A column of wide tables only. */
export function wideColumn(name: string, cell: Cell): Column {
  return { ...column(name, cell), priority: 1 };
}

/** What stands where there is nothing. */
export const NONE = "<none>";
/** What stands where something should be. */
export const UNKNOWN = "<unknown>";

export const nameColumn = column("Name", nameOf);
export const ageColumn = column("Age", (object, nowMs) => printAge(textAt(metaOf(object), "creationTimestamp"), nowMs));

/** The text at a path, or what stands for none. */
export const text =
  (path: string, none = ""): Cell =>
  (object) => {
    const value = valueAtPath(object, path);
    return typeof value === "string" && value !== "" ? value : none;
  };
/** The number at a path, or 0. */
export const count =
  (path: string): Cell =>
  (object) =>
    valueAtPath(object, path) ?? 0;
/** A column with the number at a path. */
export const counted = (title: string, path: string) => column(title, count(path), "integer");

/** Labels, or a selector that is one, as `kubectl` writes them. */
export function labelsText(labels: JsonObject): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.sort().join(",") || NONE;
}
