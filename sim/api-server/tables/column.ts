// A column of a table: what it is called and what stands in it for an object.
import type { Json, JsonObject } from "../../../src/core/json.ts";

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
