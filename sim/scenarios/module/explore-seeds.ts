// Runs a range of seeds of a scenario and tells the first that failed, with all that is needed to see it again.
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import { printTape } from "../../simulator/tape.ts";

/** Far beyond what any of them takes. */
export const patience = { timeout: 3_600_000 };

/** The failure of the first seed that has one; more are run with FARRIER_MODULE_SEEDS, from FARRIER_MODULE_FIRST on. */
export async function firstFailure(scenario: () => Scenario, count: number) {
  const builtIn = builtInKinds();
  const first = Number(process.env.FARRIER_MODULE_FIRST ?? 1);
  const seeds = Number(process.env.FARRIER_MODULE_SEEDS ?? count);
  for (let seed = first; seed < first + seeds; seed++) {
    // Invariants remember, so each history has a scenario of its own.
    const { failure, tape } = await runHistory({ scenario: scenario(), source: { seed }, builtIn });
    if (failure !== undefined) return { seed, failure, tape: printTape(tape) };
  }
  return undefined;
}
