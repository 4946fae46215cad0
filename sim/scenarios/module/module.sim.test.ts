// Modules under the faults of the simulator, with whole kubelets and controllers. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { firstFailure, patience } from "./explore-seeds.ts";
import { moduleScenario } from "./module-scenario.ts";

test("two replicas hold, settle and are quiet with simulated kubelets", patience, async () => {
  expect(await firstFailure(moduleScenario, 30)).toBeUndefined();
});
