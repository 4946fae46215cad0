// Builds under the faults of the simulator. How to read a failing seed is in sim/simulator/README.md.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../../simulator/run-history.ts";
import { printTape } from "../../simulator/tape.ts";
import { buildScenario } from "./build-scenario.ts";

const builtIn = builtInKinds();
const FIRST = Number(process.env.FARRIER_SEED ?? 1);
const SEEDS = Number(process.env.FARRIER_SEEDS ?? 1);

test.each([
  ["a queue", 2],
  ["room for all", 8],
])(
  "with %s images are built once, within the limit, and all is quiet in the end",
  { timeout: 3_600_000 },
  async (_, runningMax) => {
    const scenario = buildScenario(runningMax);
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const { failure, tape } = await runHistory({ scenario, source: { seed }, builtIn });
      expect(failure, `seed ${seed}: ${printTape(tape)}`).toBeUndefined();
    }
  },
);
