// Our tables beside those that a real server printed for the same objects (recorded by e2e/kubectl/tables.test.ts).
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { nameOf } from "../api-object.ts";
import { parseResourcePath } from "../request/api-request.ts";
import { tableOf } from "../resource-table.ts";
import { builtInColumns } from "./built-in-columns.ts";
import type { Column } from "./column.ts";
import { customColumns } from "./custom-columns.ts";

type Row = {
  readonly path: string;
  readonly nowMs: number;
  readonly object: JsonObject;
  readonly cells: readonly Json[];
};
type Recorded = {
  readonly definition: JsonObject;
  readonly headers: Readonly<Record<string, readonly JsonObject[]>>;
  readonly rows: readonly Row[];
};

const recorded: Recorded = JSON.parse(readFileSync(new URL("vectors/tables.json", import.meta.url), "utf8"));

function columnsOf(path: string): readonly Column[] {
  const { group = "", version = "", plural = "" } = parseResourcePath(path) ?? {};
  if (group === "tables.example.dev") return customColumns(recorded.definition, version);
  return builtInColumns(tableOf({ group, plural }));
}

test.each(Object.keys(recorded.headers))("the columns of %s are the real server's", (path) => {
  const headers = columnsOf(path).map(({ name, type, format, priority }) => ({ name, type, format, priority }));
  expect(headers).toEqual(recorded.headers[path]);
});

describe("the cells are the real server's", () => {
  const cases = recorded.rows.map((row) => ({ ...row, name: nameOf(row.object) }));
  test.each(cases)("$path/$name", ({ path, object, cells, nowMs }) => {
    const columns = columnsOf(path);
    // Seconds pass between a creation and the print of its age.
    const steady = (printed: readonly Json[]) =>
      printed.map((cell, at) => (columns[at]?.name === "Age" ? "AGE" : cell));
    expect(steady(columns.map(({ cell }) => cell(object, nowMs)))).toEqual(steady(cells));
  });
});

test("the age of an object is counted from its creation", () => {
  const object = { metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z" } };
  const cells = builtInColumns("serviceaccounts").map(({ cell }) => cell(object, Date.parse("2026-01-01T00:05:00Z")));
  expect(cells).toEqual(["a", "5m"]);
});
