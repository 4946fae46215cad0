import { expect, test } from "vitest";
import { atMost } from "./bar.ts";
import { compareWorks } from "./compare.ts";
import type { Work } from "./measure.ts";

const taking = (ns: number): Work => ({ name: `${ns} ns`, operations: 1, run: (iterations) => iterations * ns });
const options = { rounds: 3, roundMs: 1 };

test("each yardstick becomes a figure in the unit asked for; one that cannot run is skipped", async () => {
  const figures = await compareWorks(
    {
      name: "merge",
      unit: "µs",
      subject: taking(2000),
      yardsticks: [
        { name: "slow", bar: atMost(0.1), work: taking(40_000) },
        { name: "Go", bar: atMost(0.1), work: { missing: "Go not found" } },
        { name: "near", work: taking(4000) },
      ],
    },
    options,
  );
  expect(figures).toMatchObject([
    { name: "merge", value: 2, unit: "µs", yardstick: { name: "slow", value: 40 }, ratio: 0.05, held: true },
    { kind: "skipped", name: "merge / Go", reason: "Go not found" },
    { name: "merge", yardstick: { name: "near", value: 4 }, ratio: 0.5, held: undefined },
  ]);
});

test("with no yardstick that can run, nothing is measured", async () => {
  const subject: Work = { name: "never", operations: 1, run: () => expect.fail("the subject was run") };
  const yardsticks = [{ name: "Go", work: { missing: "Go not found" } }];
  expect(await compareWorks({ name: "merge", unit: "ns", subject, yardsticks }, options)).toEqual([
    { kind: "skipped", name: "merge / Go", reason: "Go not found" },
  ]);
});
