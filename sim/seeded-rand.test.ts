import { expect, test } from "vitest";
import { seededRand } from "./seeded-rand.ts";

const draw = (seed: number, count: number) => {
  const rand = seededRand(seed);
  return Array.from({ length: count }, () => rand.next());
};

test("the same seed gives the same numbers, another seed gives others", () => {
  expect(draw(7, 5)).toEqual(draw(7, 5));
  expect(draw(7, 5)).not.toEqual(draw(8, 5));
});

test("numbers lie in [0, 1) and spread over it", () => {
  const numbers = draw(1, 10_000);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const tenths = new Set(numbers.map((n) => Math.floor(n * 10)));
  expect(tenths.size).toBe(10);
  expect(numbers.reduce((sum, n) => sum + n, 0) / numbers.length).toBeCloseTo(0.5, 1);
});
