import { expect, test } from "vitest";
import { atMost } from "./bar.ts";
import { figureOf, skipped } from "./figure.ts";
import { figureTable } from "./table.ts";

test("the table shows figure, yardstick, ratio, bar, verdict and spread; a skipped figure says why", () => {
  const rounds = [{ value: 12.3456, yardstick: 100 }];
  const table = figureTable([
    figureOf({ name: "merge", unit: "µs", yardstick: "Go bytes", bar: atMost(0.1), rounds }),
    figureOf({ name: "a longer name", unit: "ns", yardstick: "Go", rounds }),
    skipped("selector", "Go not found"),
  ]);
  expect(table.split("\n")).toEqual([
    "figure         value    yardstick        ratio  bar    held  spread",
    "-------------  -------  ---------------  -----  -----  ----  --------------",
    "merge          12.3 µs  100 µs Go bytes  0.123  ≤ 0.1  NO    0.123 to 0.123",
    "a longer name  12.3 ns  100 ns Go        0.123               0.123 to 0.123",
    "selector       skipped: Go not found",
    "",
    "ratio = value / yardstick, median over rounds; spread = its middle half",
  ]);
});
