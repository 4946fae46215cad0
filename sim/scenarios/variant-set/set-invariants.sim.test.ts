// Every invariant of a VariantSet against a kind that breaks it: the real one holds in the same histories (variant-set.sim.test.ts), the
// careless one is found.
import { expect, test } from "vitest";
import type { Kind } from "../../../src/kinds/kind.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Commit } from "../../simulator/commit.ts";
import { runHistory } from "../../simulator/run-history.ts";
import {
  countsTwice,
  forgetsLeavingPods,
  labelsFirst,
  neverPrunes,
  prunesAtOnce,
  spendsFreely,
  writesMore,
} from "./careless-kinds.ts";
import { selectorsStay } from "./set-invariants.ts";
import { operate } from "./set-scenario.ts";
import { smallSetScenario } from "./small-set-scenario.ts";

const builtIn = builtInKinds();
/** Enough for each of them; most are found in the first. */
const SEEDS_MAX = 60;

async function firstFailure(createKind: () => Kind): Promise<string | undefined> {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const scenario = smallSetScenario(["operator"], operate(false, createKind));
    const { failure } = await runHistory({ scenario, source: { seed }, builtIn });
    if (failure !== undefined) return failure.oracle;
  }
  return undefined;
}

test.each<[string, () => Kind, string]>([
  ["I4: an operator that forgets pods which are leaving", forgetsLeavingPods, "OneCellPerNode"],
  ["I7: one that prunes without proof", prunesAtOnce, "PrunedByProof"],
  ["I8: one that spends more than the budget", spendsFreely, "OneBudget"],
  ["I9: one that writes labels which are not its own", writesMore, "OnlyOurLabels"],
  ["I14: one that counts a node twice", countsTwice, "CountsAddUp"],
  ["ISSUE-1: one that labels nodes before it makes DaemonSets", labelsFirst, "LabelsPointToWorkloads"],
  ["D4: one that never prunes", neverPrunes, "Settles"],
])("%s is found", { timeout: 600_000 }, async (_what, createKind, oracle) => {
  expect(await firstFailure(createKind)).toBe(oracle);
});

test("I6: a selector that changed is found, which no API server would let happen", () => {
  const selecting = (app: string) => ({ spec: { selector: { matchLabels: { app } } } });
  const commit: Commit = {
    ...{ table: "daemonsets.apps", key: "default/agent", revision: 1, by: "operator" },
    ...{ before: selecting("a"), after: selecting("b") },
  };
  const state = { object: () => undefined, objects: () => [] };
  expect(selectorsStay.check(commit, state)).toContain("the selector of default/agent changed");
  expect(selectorsStay.check({ ...commit, after: selecting("a") }, state)).toBeUndefined();
});
