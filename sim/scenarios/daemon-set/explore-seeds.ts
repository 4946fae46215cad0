// Runs a range of seeds of the scenario in one mode and tells the first that failed, with all that is needed to see it again.
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../simulator/run-history.ts";
import { printTape } from "../../simulator/tape.ts";
import { daemonSetScenario, type Mode } from "./daemon-set-scenario.ts";

/** Histories per mode in every full test run. More are run with FARRIER_DAEMON_SET_SEEDS. */
export const SEEDS = 1_000;

/** The failure of the first seed that has one; undefined when all hold. */
export async function firstFailure(mode: Mode, seeds = Number(process.env.FARRIER_DAEMON_SET_SEEDS ?? SEEDS)) {
  const builtIn = builtInKinds();
  for (let seed = 1; seed <= seeds; seed++) {
    // The budget remembers, so each history has a scenario of its own.
    const { failure, tape } = await runHistory({ scenario: daemonSetScenario(mode), source: { seed }, builtIn });
    if (failure !== undefined) return { seed, failure, tape: printTape(tape) };
  }
  return undefined;
}
