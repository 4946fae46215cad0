import { expect, test } from "vitest";
import { isMissed } from "../figure.ts";
import { requestFigures } from "./request-figures.ts";

const figures = (nodes: number) =>
  requestFigures(
    "a story",
    new Map([
      ["GET nodes", 7],
      ["PATCH nodes", nodes],
      ["PATCH modules/status", 50],
    ]),
    100,
  );

test("reads and the status do not count against what must change", () => {
  expect(figures(103)).toMatchObject([{ value: 103, ratio: 1.03, held: true }, { value: 50 }]);
});

test("one write too many misses the bar", () => {
  expect(figures(104).map(isMissed)).toEqual([true, false]);
});
