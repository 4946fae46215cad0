// The operator under the faults of the simulator. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { operatorScenario } from "../../../sim/scenarios/operator/operator-scenario.ts";
import { runHistory } from "../../../sim/simulator/run-history.ts";
import { printTape } from "../../../sim/simulator/tape.ts";

const builtIn = builtInKinds();
const SEEDS = 8;

test("two replicas hold, settle and are quiet, whatever goes wrong", { timeout: 600_000 }, async () => {
  const scenario = operatorScenario();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure, tape } = await runHistory({ scenario, source: { seed }, builtIn });
    expect(failure, `seed ${seed}: ${printTape(tape)}`).toBeUndefined();
  }
});
