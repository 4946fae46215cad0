// VariantSets under the faults of the simulator. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../../sim/simulator/run-history.ts";
import { printTape } from "../../../sim/simulator/tape.ts";
import { setScenario } from "./set-scenario.ts";

const builtIn = builtInKinds();
/** About 45 seconds of one core. More are run with FARRIER_SET_SEEDS=2000, other ones with FARRIER_SET_FIRST=1000. */
const SEEDS = Number(process.env.FARRIER_SET_SEEDS ?? 120);
const FIRST = Number(process.env.FARRIER_SET_FIRST ?? 1);

test("a set holds, settles and is quiet under every fault", { timeout: 3_600_000 }, async () => {
  const scenario = setScenario();
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { failure, tape } = await runHistory({ scenario, source: { seed }, builtIn });
    expect(failure, `seed ${seed}: ${printTape(tape)}`).toBeUndefined();
  }
});
