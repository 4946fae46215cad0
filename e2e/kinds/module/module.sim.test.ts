// Modules under the faults of the simulator. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../../sim/simulator/run-history.ts";
import type { Scenario } from "../../../sim/simulator/scenario.ts";
import { printTape } from "../../../sim/simulator/tape.ts";
import { moduleScenario, smallModuleScenario } from "./module-scenario.ts";

const builtIn = builtInKinds();
const FIRST = Number(process.env.FARRIER_MODULE_FIRST ?? 1);
/** Histories in every full test run; more are run with FARRIER_MODULE_SEEDS, from FARRIER_MODULE_FIRST on. */
const seedsOr = (count: number) => Number(process.env.FARRIER_MODULE_SEEDS ?? count);

async function firstFailure(scenario: () => Scenario, count: number) {
  for (let seed = FIRST; seed < FIRST + seedsOr(count); seed++) {
    const { failure, tape } = await runHistory({ scenario: scenario(), source: { seed }, builtIn });
    if (failure !== undefined) return { seed, failure, tape: printTape(tape) };
  }
  return undefined;
}

test("two replicas hold, settle and are quiet on nodes that cost little", { timeout: 3_600_000 }, async () => {
  expect(await firstFailure(smallModuleScenario, 100)).toBeUndefined();
});

test("two replicas hold, settle and are quiet with simulated kubelets", { timeout: 3_600_000 }, async () => {
  expect(await firstFailure(moduleScenario, 5)).toBeUndefined();
});
