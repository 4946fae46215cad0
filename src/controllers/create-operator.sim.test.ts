// The operator under the faults of the simulator. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { operatorScenario } from "../../e2e/controllers/operator-scenario.ts";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../sim/simulator/run-history.ts";
import { printTape } from "../../sim/simulator/tape.ts";

const builtIn = builtInKinds();
const SEEDS = 8;
/**
 * A replica whose watches were held back and that wins the lease decides at once from what it saw last. A pod of another revision
 * has another name, so a twin does not meet itself. Until a new leader makes sure that its caches are fresh, these stay out.
 */
const holdsWatchesBack = /-(cut-off|watch-silent|slow)$/;
const isAllowed = (fault: string) => !holdsWatchesBack.test(fault);

test("two replicas hold, settle and are quiet while no watch is held back for long", { timeout: 600_000 }, async () => {
  const scenario = operatorScenario();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure, tape } = await runHistory({ scenario, source: { seed }, builtIn, isAllowed });
    expect(failure, `seed ${seed}: ${printTape(tape)}`).toBeUndefined();
  }
});
