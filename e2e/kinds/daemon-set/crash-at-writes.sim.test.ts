// A story of edits, a rollback, a relabelled node and a set that is made anew, in which the operator dies at each of its writes in
// turn; and the same kind of story under two leaders at once.
import { expect, test } from "vitest";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { type History, runHistory } from "../../../sim/simulator/run-history.ts";
import type { Tape } from "../../../sim/simulator/tape.ts";
import { daemonSetScenario, type Mode, operateAlone } from "./daemon-set-scenario.ts";

const builtIn = builtInKinds();
const patience = { timeout: 1_800_000 };
const modes: readonly Mode[] = ["rolling", "surging", "in-place"];

type Choices = Tape["streams"] extends ReadonlyMap<string, infer T> ? T : never;
const at = (...places: readonly number[]): Choices => places.map((place) => ({ at: place, value: 1 }));

/** Two templates, back to the first one, a patch, a label, and at last another set of the same name. */
const story: readonly (readonly [string, Choices])[] = [
  ["new-template", at(4, 13)],
  ["new-template-how", at(0)],
  ["new-patch", at(9)],
  ["new-patch-how", at(0)],
  ["node-relabelled", at(18)],
  ["node-relabelled-how", [...at(0), ...at(1)]],
  ["pod-fails", at(24)],
  ["set-made-anew", at(32)],
];

function replay(mode: Mode, fault: string, place: number | undefined): Promise<History> {
  const scenario = daemonSetScenario(mode);
  const faults = place === undefined ? [] : roles.map((role) => [`${role}-${fault}`, at(place)] as const);
  const tape = { scenario: scenario.name, seed: 1, streams: new Map([...story, ...faults]) };
  return runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
}

const roles = ["operator", "other-operator"];
const writesOf = ({ trace }: History) =>
  trace.filter((line) => / operator\.\d+ +(POST|DELETE|PATCH) /.test(line)).length;

test.each(modes)("an operator that dies at any write ends where it would have ended: %s", patience, async (mode) => {
  const writes = writesOf(await replay(mode, "", undefined));
  expect(writes).toBeGreaterThan(20);
  for (const fault of ["crash-before-write", "crash-after-write", "answer-lost"]) {
    for (let place = 0; place < writes; place++) {
      const { failure } = await replay(mode, fault, place);
      expect([fault, place, failure]).toEqual([fault, place, undefined]);
    }
  }
});

/** Enough to have found each way in which an earlier design made twins. */
const TWO_LEADERS_SEEDS = 40;

/** Each of them believes that it is the only one, from the first moment to the last. */
test.each(modes)("two leaders at once make no twins and keep to the budget: %s", patience, async (mode) => {
  const disturbances =
    /^(new-|node-relabelled|pod-|set-made-anew|compaction)|-(jitter|answer-lost|watch-broken|watch-ended)$/;
  for (let seed = 1; seed <= TWO_LEADERS_SEEDS; seed++) {
    const alone = { ...daemonSetScenario(mode, operateAlone), requestRules: [], faultsMs: 60_000 };
    const isAllowed = (name: string) => disturbances.test(name);
    const { failure } = await runHistory({ scenario: alone, source: { seed }, builtIn, isAllowed });
    expect([seed, failure]).toEqual([seed, undefined]);
  }
});
