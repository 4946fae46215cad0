import { expect, test } from "vitest";
import { median, spreadOf } from "./statistics.ts";

test.each([
  [[3], 3],
  [[1, 2], 1.5],
  [[9, 1, 5], 5],
  [[10, 2, 1, 100], 6],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test("the spread is the middle half, whatever one round did", () => {
  expect(spreadOf([1, 2, 3, 4, 1000])).toEqual({ low: 2, high: 4 });
});

test("the median of nothing is a mistake, not a number", () => {
  expect(() => median([])).toThrow("no rounds were measured");
});
