// What servers send reaches clients as values in most histories and as text in some. No step may depend on which it is.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { withFrozenStore } from "../frozen-store.ts";
import { runHistory } from "../run-history.ts";
import { listScenarios } from "../scenarios.ts";
import { createWorld } from "../world.ts";

const builtIn = builtInKinds();
const patience = { timeout: 600_000 };
const scenarios = listScenarios().map(({ scenario }) => scenario);

test.each(scenarios)("$name takes the same steps by text and by values", patience, async (scenario) => {
  for (const seed of [1, 2, 3]) {
    const byText = await runHistory({ scenario, source: { seed }, builtIn, wire: "text" });
    const byValues = await runHistory({ scenario, source: { seed }, builtIn, wire: "values" });
    expect([seed, byValues.fingerprint, byValues.failure]).toEqual([seed, byText.fingerprint, byText.failure]);
  }
});

test.each(scenarios)("nobody in $name writes into what is handed over", patience, async (scenario) => {
  const run = (one: typeof scenario) => runHistory({ scenario: one, source: { seed: 5 }, builtIn, wire: "values" });
  expect((await run(withFrozenStore(scenario))).fingerprint).toBe((await run(scenario)).fingerprint);
});

test("about one history in ten goes by text, as its seed says, and its trace tells", () => {
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("there are no scenarios");
  const beginnings = Array.from({ length: 300 }, (_, seed) => {
    const [first = ""] = createWorld({ scenario, source: { seed }, builtIn, keepsTrace: true }).trace.lines;
    return /begins; what servers send goes as (text|values)$/.exec(first)?.[1];
  });
  const byText = beginnings.filter((wire) => wire === "text").length;
  expect(beginnings.filter((wire) => wire === "values").length).toBe(300 - byText);
  expect(byText).toBeGreaterThan(15);
  expect(byText).toBeLessThan(45);
});
