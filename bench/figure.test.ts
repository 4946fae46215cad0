import { expect, test } from "vitest";
import { atMost } from "./bar.ts";
import { figureOf, isMissed, skipped } from "./figure.ts";

const rounds = [
  { value: 10, yardstick: 100 },
  // A round in which the machine was busy: both are slow, the ratio is not.
  { value: 50, yardstick: 500 },
  { value: 12, yardstick: 100 },
];
const input = { name: "merge", unit: "µs", yardstick: "Go", rounds };

test("a figure takes its ratio round by round, so a slow round does not bend it", () => {
  const figure = figureOf({ ...input, bar: atMost(0.1) });
  expect(figure).toMatchObject({ value: 12, yardstick: { name: "Go", value: 100 }, ratio: 0.1, held: true });
  expect(figure.spread.low).toBeCloseTo(0.1);
  expect(figure.spread.high).toBeCloseTo(0.11);
});

test("only a measured figure with a bar can miss it", () => {
  expect(isMissed(figureOf({ ...input, bar: atMost(0.05) }))).toBe(true);
  expect(isMissed(figureOf({ ...input, bar: atMost(0.2) }))).toBe(false);
  expect(isMissed(figureOf(input))).toBe(false);
  expect(isMissed(skipped("merge", "Go not found"))).toBe(false);
});
