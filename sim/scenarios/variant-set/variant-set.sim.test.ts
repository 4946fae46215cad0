// VariantSets under the faults of the simulator: many short histories at little cost, and some with whole kubelets and controllers. How
// to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import { printTape } from "../../simulator/tape.ts";
import { setScenario } from "./set-scenario.ts";
import { smallSetScenario } from "./small-set-scenario.ts";

const builtIn = builtInKinds();
const patience = { timeout: 3_600_000 };
/** More are run with FARRIER_SET_SEEDS=20000, other ones with FARRIER_SET_FIRST=100000. */
const SEEDS = Number(process.env.FARRIER_SET_SEEDS ?? 2_000);
const FIRST = Number(process.env.FARRIER_SET_FIRST ?? 1);
/** Every so many histories have two replicas; the others cost less. */
const ONE_OF = 5;
const WHOLE = 60;

async function holds(first: number, count: number, scenarioOf: (seed: number) => Scenario): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    const scenario = scenarioOf(seed);
    const { failure, tape } = await runHistory({ scenario, source: { seed }, builtIn });
    expect(failure, `seed ${seed} of ${scenario.name}: ${printTape(tape)}`).toBeUndefined();
  }
}

test("a set holds, settles and is quiet under every fault, under one replica or two", patience, () =>
  holds(FIRST, SEEDS, (seed) => smallSetScenario(seed % ONE_OF === 0 ? ["operator", "other-operator"] : ["operator"])),
);

test("and so it does on kubelets that vanish, reboot and are replaced", patience, () =>
  holds(FIRST, WHOLE, () => setScenario()),
);
