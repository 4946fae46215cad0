import { expect, test } from "vitest";
import { nodeRand } from "./node-rand.ts";

test("numbers lie in [0, 1), fill it evenly and do not repeat, also across refills", () => {
  const rand = nodeRand();
  const drawn = Array.from({ length: 4_096 }, () => rand.next());
  expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(new Set(drawn).size).toBe(drawn.length);
  const tenths = drawn.reduce(
    (counts, value) => counts.with(Math.floor(value * 10), (counts[Math.floor(value * 10)] ?? 0) + 1),
    Array<number>(10).fill(0),
  );
  // Seven standard deviations: one run in 10^11 would fail by chance.
  expect(Math.min(...tenths)).toBeGreaterThan(409 - 7 * 20);
  expect(Math.max(...tenths)).toBeLessThan(409 + 7 * 20);
});

test("two sources give different numbers", () => {
  expect(nodeRand().next()).not.toBe(nodeRand().next());
});
