import { expect, test } from "vitest";
import { printAge, printSpan } from "./age.ts";

const [second, minute, hour, day, year] = [1, 60, 3_600, 86_400, 365 * 86_400];

test.each([
  [-2, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119, "119s"],
  [2 * minute, "2m"],
  [2 * minute + 5 * second, "2m5s"],
  [10 * minute + 59, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [7 * day + 23 * hour, "7d23h"],
  [8 * day + 5 * hour, "8d"],
  [729 * day, "729d"],
  [2 * year, "2y"],
  [3 * year + 12 * day, "3y12d"],
  [8 * year + 12 * day, "8y"],
])("a span of %d seconds is printed as %s", (seconds, text) => {
  expect(printSpan(seconds * 1000)).toBe(text);
});

test("a time that is none has an unknown age", () => {
  expect(printAge("", 0)).toBe("<unknown>");
  expect(printAge("1970-01-01T00:00:00Z", 5_000)).toBe("5s");
});
