import { expect, test } from "vitest";
import { fillMarks, valueAt } from "./marks.ts";

test("marks are replaced in keys and values at any depth", () => {
  const kept = new Map([
    ["uid", "u-1"],
    ["ns", "n"],
  ]);
  expect(fillMarks({ "{{ns}}": [{ a: "{{uid}}/{{ns}}" }, 1, null] }, kept)).toEqual({ n: [{ a: "u-1/n" }, 1, null] });
});

test("a mark that was never kept is a mistake of the scenario", () => {
  expect(() => fillMarks("{{gone}}", new Map([["ns", "n"]]))).toThrow(
    "the mark {{gone}} was never kept; there are: ns",
  );
});

test("values are found by dotted paths, and own fields only", () => {
  expect(valueAt({ items: [{ metadata: { name: "a" } }] }, "items.0.metadata.name")).toBe("a");
  expect(valueAt({}, "constructor.name")).toBeUndefined();
});
