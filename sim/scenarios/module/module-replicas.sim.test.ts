// Modules under the faults of the simulator: two replicas. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { firstFailure, patience } from "./explore-seeds.ts";
import { smallModuleScenario } from "./small-module-scenario.ts";

test("two replicas: every invariant holds in 670 histories, and all settles and is quiet", patience, async () => {
  expect(await firstFailure(() => smallModuleScenario("replicas"), 670)).toBeUndefined();
});
