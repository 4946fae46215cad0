// A story of a reboot into another kernel, a new image and a variant that gets another name, in which the operator dies at each of its
// writes in turn: before it, after it, and with the answer lost.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { type History, runHistory } from "../../simulator/run-history.ts";
import type { Choice } from "../../simulator/tape.ts";
import { smallSetScenario } from "./small-set-scenario.ts";

const builtIn = builtInKinds();

const at = (...places: readonly number[]): readonly Choice[] => places.map((place) => ({ at: place, value: 1 }));

/** Each strike of a reboot draws a node and a kernel, each edit a number. */
const story: readonly (readonly [string, readonly Choice[]])[] = [
  ["node-reboots", at(4, 16)],
  ["node-reboots-how", [...at(0), { at: 1, value: 3 }, { at: 3, value: 2 }]],
  ["new-image", at(8)],
  ["renamed-in-place", at(12, 20)],
  ["scope-flips", at(2)],
  ["scope-flips-how", [{ at: 0, value: 2 }]],
];

function replay(fault: string, place: number | undefined): Promise<History> {
  const scenario = smallSetScenario(["operator"]);
  const crash = place === undefined ? [] : [[`operator-${fault}`, at(place)] as const];
  const tape = { scenario: scenario.name, seed: 1, streams: new Map([...story, ...crash]) };
  return runHistory({ scenario, source: { tape }, builtIn, keepsTrace: place === undefined });
}

test("an operator that dies at any write of a hand-over, an update or a rename ends where it would have ended", {
  timeout: 1_800_000,
}, async () => {
  const { trace, failure } = await replay("", undefined);
  const writes = trace.filter((line) => / operator\.\d+ +(POST|DELETE|PATCH) /.test(line));
  expect(failure).toBeUndefined();
  // Labels are taken and given, DaemonSets made and changed: the story has all that a set ever writes.
  const touched = ["/nodes/", "/daemonsets/", "/variantsets/agent/status"];
  for (const part of touched) expect(writes.filter((line) => line.includes(part)).length).toBeGreaterThan(3);
  for (const how of ["crash-before-write", "crash-after-write", "answer-lost"]) {
    for (let place = 0; place < writes.length; place++) {
      const broken = await replay(how, place);
      expect([how, place, broken.failure]).toEqual([how, place, undefined]);
    }
  }
});
