import { expect, test } from "vitest";
import { coverageByFolder } from "./coverage-by-folder.ts";

test("lines are summed by folder, and folders without files are left out", () => {
  const lines = (total: number, covered: number) => ({ lines: { total, covered } });
  const summary = {
    total: lines(100, 1),
    "/a/src/core/x.ts": lines(10, 10),
    "/a/src/core/y.ts": lines(30, 20),
    "/a/src/kinds/module/z.ts": lines(8, 2),
    "/a/src/main.ts": lines(5, 0),
  };
  expect(coverageByFolder(JSON.stringify(summary))).toEqual([
    "src/core/               75.0 % of 40 lines",
    "src/kinds/module/       25.0 % of 8 lines",
  ]);
});
