// The advanced DaemonSet under the faults of the simulator, in-place. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { firstFailure } from "./explore-seeds.ts";

test("two replicas keep to one pod per node and to the budget, settle and are quiet", {
  timeout: 1_800_000,
}, async () => {
  expect(await firstFailure("in-place")).toBeUndefined();
});
