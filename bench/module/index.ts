// Deciding about a Module in a large fleet, against reading the nodes of that fleet once; and fitting one on a real control plane.

import type { Decision } from "../../src/kinds/kind.ts";
import { atMost } from "../bar.ts";
import type { Benchmark } from "../benchmark.ts";
import { compareWorks, type WorkComparison } from "../compare.ts";
import type { SettledFleet } from "../core/settled-fleet.ts";
import type { Figure } from "../figure.ts";
import { inProcess, type Work } from "../measure.ts";
import { boundFigures } from "../real/bound-figures.ts";
import { guest } from "../real/guest.ts";
import { moduleStory } from "./real-fleet.ts";
import { settledModule } from "./settled-module.ts";

const LARGE = 5_000;
const SMALL = 500;
/** The share of reading all nodes that a decision over unchanged ones may cost. */
const UNCHANGED_MAX = 1 / 50;

export const module: Benchmark = {
  name: "module",
  summary: "a Module's decisions over 5,000 nodes, and its story on 1,000 of a real control plane (3 min)",
  run: async (context) => {
    const figures: Figure[] = [];
    const [large, small] = [settledModule(LARGE), settledModule(SMALL)];
    for (const comparison of [unchanged(large), oneReboot(large, LARGE), oneReboot(small, SMALL)]) {
      context.progress(`measuring ${comparison.name}`);
      figures.push(...(await compareWorks(comparison, context)));
    }
    const kmm = guest({ name: "KMM", variable: "FARRIER_BENCH_KMM_MANAGER" });
    return [...figures, ...(await boundFigures(moduleStory, [kmm], context))];
  },
};

function unchanged({ kind, stored, snapshot, nowMs, nodeObjects }: SettledFleet): WorkComparison {
  return {
    name: `decide, ${LARGE} unchanged nodes`,
    unit: "ms",
    subject: inProcess("decide", 1, () => stepsOf(kind.observe(snapshot, stored).decide(nowMs))),
    yardsticks: [{ name: "JSON.parse of them", bar: atMost(UNCHANGED_MAX), work: parsing(nodeObjects) }],
  };
}

function oneReboot({ kind, stored, withReboot, nowMs, nodeObjects }: SettledFleet, count: number): WorkComparison {
  let turn = 0;
  return {
    name: `decide, one of ${count} nodes in another kernel`,
    unit: "ms",
    subject: inProcess("decide", 1, () => stepsOf(kind.observe(withReboot(turn++), stored).decide(nowMs))),
    yardsticks: [{ name: "JSON.parse of all", work: parsing(nodeObjects) }],
  };
}

function stepsOf({ plan }: Decision): number {
  return plan.steps.length;
}

function parsing(objects: readonly unknown[]): Work {
  const texts = objects.map((object) => JSON.stringify(object));
  return inProcess("JSON.parse", 1, () => {
    let read = 0;
    for (const text of texts) read += JSON.parse(text) === null ? 0 : 1;
    return read;
  });
}
