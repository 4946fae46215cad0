// A story of a Module with a device plugin (made, updated, a node rebooted into another kernel, another one taken out of scope, and the Module
// made anew) in which the operator dies at each of its writes in turn, before it, after it, and with its answer lost.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { type History, runHistory } from "../../simulator/run-history.ts";
import type { Choice } from "../../simulator/tape.ts";
import { patience } from "./explore-seeds.ts";
import { smallModuleScenario } from "./small-module-scenario.ts";

const builtIn = builtInKinds();
const at = (...places: readonly number[]): readonly Choice[] => places.map((place) => ({ at: place, value: 1 }));

/** Ticks are half a second apart. The second node reboots into the first kernel; the third one is told to leave. */
const story: readonly (readonly [string, readonly Choice[]])[] = [
  ["new-image", at(6)],
  ["reboots", at(14)],
  ["reboots-how", at(0)],
  ["leaves-scope", at(24)],
  ["leaves-scope-how", at(1)],
  ["module-made-anew", at(34)],
];

function replay(fault: string, place: number | undefined): Promise<History> {
  const scenario = smallModuleScenario("plugin");
  const faults = place === undefined ? [] : [[`operator-${fault}`, at(place)] as const];
  const tape = { scenario: scenario.name, seed: 1, streams: new Map([...story, ...faults]) };
  return runHistory({ scenario, source: { tape }, builtIn, keepsTrace: place === undefined });
}

const writesOf = ({ trace }: History) =>
  trace.filter((line) => / operator\.\d+ +(POST|DELETE|PATCH) /.test(line)).length;

test.each(["crash-before-write", "crash-after-write", "answer-lost"])(
  "an operator that meets %s at any of its writes ends where it would have ended",
  patience,
  async (fault) => {
    const plain = await replay(fault, undefined);
    expect([plain.failure, writesOf(plain) > 30]).toEqual([undefined, true]);
    for (let place = 0; place < writesOf(plain); place++) {
      const { failure } = await replay(fault, place);
      expect([fault, place, failure]).toEqual([fault, place, undefined]);
    }
  },
);
