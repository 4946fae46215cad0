import { expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { backOffMs } from "./back-off.ts";

const limits = { baseMs: 5, maxMs: 1_000_000 };
const noJitter = { next: () => 0 };

test.each([
  [1, 5],
  [2, 10],
  [3, 20],
  [18, 655_360],
  [19, 1_000_000],
  [10_000, 1_000_000],
])("after %i failures the pause is %i ms before jitter", (attempt, expected) => {
  expect(backOffMs(limits, attempt, noJitter)).toBe(expected);
});

test("jitter shortens a pause by at most half and never lengthens it", () => {
  const rand = seededRand(1);
  const pauses = Array.from({ length: 1_000 }, () => backOffMs(limits, 3, rand));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(20);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10);
  expect(new Set(pauses).size).toBeGreaterThan(900);
});
