// Every invariant of the scenario is shown to tell: an operator with one mistake breaks it, by its name, within a few seeds.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../simulator/run-history.ts";
import { carelessOperators } from "./careless-operators.ts";
import { daemonSetScenario } from "./daemon-set-scenario.ts";

const SEEDS_MAX = 40;
const builtIn = builtInKinds();

test.each(carelessOperators)("an operator that %s is found", { timeout: 600_000 }, async (_about, operator, tells) => {
  const found: string[] = [];
  for (let seed = 1; seed <= SEEDS_MAX && !found.includes(tells); seed++) {
    const scenario = { ...daemonSetScenario("rolling", operator), settleMs: 120_000 };
    const { failure } = await runHistory({ scenario, source: { seed }, builtIn });
    if (failure !== undefined) found.push(failure.oracle);
  }
  expect(found).toContain(tells);
});
