import { expect, test } from "vitest";
import { inFlight } from "./in-flight.ts";

test("every call is made once, and never more at once than allowed", async () => {
  const made: number[] = [];
  let open = 0;
  let openMax = 0;
  await inFlight(3, 10, async (index) => {
    open++;
    openMax = Math.max(openMax, open);
    made.push(index);
    for (let turn = 0; turn < index % 3; turn++) await Promise.resolve();
    open--;
  });
  expect(made).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(openMax).toBe(3);
});

test("a call that fails ends the run with its error", async () => {
  const run = inFlight(2, 5, async (index) => {
    if (index === 3) throw new Error("refused");
  });
  await expect(run).rejects.toThrow("refused");
});
