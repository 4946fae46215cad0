// The operator in a small cluster, under many seeds: it settles and is quiet in all of them. Without its operator it does in none.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { withFrozenStore } from "../../simulator/frozen-store.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import { smallOperatorScenario } from "./small-operator-scenario.ts";

const builtIn = builtInKinds();
const SEEDS = 120;
const patience = { timeout: 600_000 };

test("every seed holds", patience, async () => {
  const scenario = smallOperatorScenario();
  const failures: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure } = await runHistory({ scenario, source: { seed }, builtIn });
    if (failure !== undefined) failures.push(`seed ${seed}: ${failure.oracle}: ${failure.message}`);
  }
  expect(failures).toEqual([]);
});

test("a seed takes the same steps twice, with and without a trace", patience, async () => {
  const run = (keepsTrace: boolean) =>
    runHistory({ scenario: smallOperatorScenario(), source: { seed: 7 }, builtIn, keepsTrace });
  expect((await run(true)).fingerprint).toBe((await run(false)).fingerprint);
});

test("the operator takes the same steps by text and by values, and writes into none of them", patience, async () => {
  const scenario = smallOperatorScenario();
  const frozen = withFrozenStore(scenario);
  for (const seed of [1, 2, 3]) {
    const byText = await runHistory({ scenario, source: { seed }, builtIn, wire: "text" });
    const byValues = await runHistory({ scenario: frozen, source: { seed }, builtIn, wire: "values" });
    expect([seed, byValues.fingerprint, byValues.failure]).toEqual([seed, byText.fingerprint, undefined]);
  }
});

test("a cluster without its operator is found not to settle", patience, async () => {
  const whole = smallOperatorScenario();
  const idle: Scenario = {
    ...whole,
    setUp: (world) =>
      whole.setUp({ ...world, host: (role, start) => world.host(role, role === "operator" ? rest : start) }),
  };
  const { failure } = await runHistory({ scenario: idle, source: { seed: 1 }, builtIn, isAllowed: () => false });
  expect(failure?.oracle).toBe("Settles");
});

const rest = () => undefined;
