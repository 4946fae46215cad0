import { expect, test } from "vitest";
import { placeOf } from "./place-of.ts";

const list = ["b", "d", "f"].map((name) => ({ name }));

test.each([
  ["a", 0],
  ["b", 0],
  ["c", 1],
  ["d", 1],
  ["f", 2],
  ["g", 3],
])("%s stands, or would stand, at place %d", (name, place) => {
  expect(placeOf(name, list)).toBe(place);
});

test("in an empty list there is one place", () => {
  expect(placeOf("a", [])).toBe(0);
});
