import { expect, test } from "vitest";
import { SlowStarts, SORTS_MAX } from "./slow-start.ts";

test("sorts beyond the limit begin anew, those first that were met longest ago", () => {
  const starts = new SlowStarts();
  const meet = (sort: string) => {
    const start = starts.begin(sort);
    start.sent();
    start.succeeded();
  };
  for (let sort = 0; sort < SORTS_MAX; sort++) meet(`sort ${sort}`);
  meet("sort 0");
  meet("one more");
  expect([starts.begin("sort 0").window, starts.begin("sort 1").window]).toEqual([3, 1]);
});
