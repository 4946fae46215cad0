// The scenarios that `npm run sim` knows. A new one is a file and a line here.
import { daemonSetScenario } from "./native/daemon-set-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { namings } from "./toy/naming.ts";
import { ledToyScenario, shortToyScenario, toyScenarios } from "./toy/toy-scenario.ts";

/** A scenario, and whether every seed must hold in it. The others show that the simulator finds what is wrong with them. */
export type Listed = { readonly scenario: Scenario; readonly holds: boolean };

/** All scenarios, those that must hold first. */
export function listScenarios(): readonly Listed[] {
  const toys = toyScenarios().map((scenario) => ({ scenario, holds: scenario.name === "toy-by-node-name" }));
  const holding = namings.filter(({ name }) => name === "by-node-name");
  const others = holding.flatMap((naming) => [ledToyScenario(naming), shortToyScenario(naming)]);
  const native = { scenario: daemonSetScenario(), holds: true };
  return [...toys, ...others.map((scenario) => ({ scenario, holds: true })), native].sort(
    (a, b) => Number(b.holds) - Number(a.holds),
  );
}
