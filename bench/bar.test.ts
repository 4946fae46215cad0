import { expect, test } from "vitest";
import { atLeast, atMost, barText, isHeld } from "./bar.ts";

test.each([
  [atMost(0.5), 0.4, true],
  [atMost(0.5), 0.5, true],
  [atMost(0.5), 0.51, false],
  [atLeast(10), 10, true],
  [atLeast(10), 9.99, false],
  [atLeast(10), 12, true],
  [atMost(1), Number.NaN, false],
  [atLeast(1), Number.NaN, false],
])("%j and the ratio %d: held is %s", (bar, ratio, expected) => {
  expect(isHeld(bar, ratio)).toBe(expected);
});

test("a bar shows its direction and three digits", () => {
  expect(barText(atMost(1 / 3))).toBe("≤ 0.333");
  expect(barText(atLeast(10))).toBe("≥ 10");
});
