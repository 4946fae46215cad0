// What the decisions of a kind cost in a fleet at rest, beside reading its nodes once, and whether one node costs more in a large fleet.
import type { Decision } from "../../src/kinds/kind.ts";
import { atMost } from "../bar.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { compareWorks, type WorkComparison, type Yardstick } from "../compare.ts";
import { type Figure, figureOf } from "../figure.ts";
import { inProcess, measure, type Work } from "../measure.ts";
import { median } from "../statistics.ts";
import type { SettledFleet } from "./settled-fleet.ts";

const LARGE = 5_000;
const SMALL = 500;
/** The share of reading all nodes that a decision over unchanged ones may cost. */
const UNCHANGED_MAX = atMost(1 / 50);
/** How much more one node may cost among many than among few. */
const ONE_NODE_MAX = atMost(1.2);
/** A difference wants many samples, each so short that nothing else falls into most of them. */
const SAMPLES_PER_ROUND = 40;
const SAMPLE_MS = 8;
const NS_PER_US = 1e3;

/** The figures of a kind, of which `settled` makes a fleet of so many nodes. */
export async function decisionFigures(
  settled: (count: number) => SettledFleet,
  context: BenchmarkContext,
): Promise<readonly Figure[]> {
  const [large, small] = [settled(LARGE), settled(SMALL)];
  const figures: Figure[] = [];
  for (const comparison of comparisonsIn(large)) {
    context.progress(`measuring ${comparison.name}`);
    figures.push(...(await compareWorks(comparison, context)));
  }
  context.progress("measuring what one node costs beyond the scan");
  return [...figures, await oneNodeFigure(large, small, context)];
}

function comparisonsIn(large: SettledFleet): readonly WorkComparison[] {
  const { kind, stored, snapshot, nowMs } = large;
  const same = inProcess("decide", 1, () => stepsOf(kind.observe(snapshot, stored).decide(nowMs)));
  const yardsticks = [parsing(large)];
  return [
    { name: `decide, ${LARGE} nodes, the same list`, unit: "ms", subject: same, yardsticks },
    { name: `decide, ${LARGE} nodes, a new list of the same`, unit: "ms", subject: scanOf(large), yardsticks },
    { name: `decide, one of ${LARGE} nodes in another kernel`, unit: "ms", subject: rebootIn(large), yardsticks },
  ];
}

/**
 * What a decision about one node in another kernel costs in the large fleet, without what the scan of the longer list costs, beside the
 * same in the small fleet. The changed node alone cannot be weighed: it costs less than two decisions about the same differ by.
 */
async function oneNodeFigure(large: SettledFleet, small: SettledFleet, context: BenchmarkContext): Promise<Figure> {
  const works = [rebootIn(large), scanOf(large), rebootIn(small), scanOf(small)];
  const taken = await measure(works, { rounds: context.rounds * SAMPLES_PER_ROUND, roundMs: SAMPLE_MS });
  const [many = 0, manyScan = 0, few = 0, fewScan = 0] = taken.map((samples) => median(samples) / NS_PER_US);
  return figureOf({
    ...{ name: `one of ${LARGE} nodes in another kernel, beyond the longer scan`, unit: "µs", bar: ONE_NODE_MAX },
    yardstick: `one of ${SMALL}`,
    rounds: [{ value: many - (manyScan - fewScan), yardstick: few }],
  });
}

/** After any event a cache hands out another list; most of it is what it was. */
function scanOf({ kind, stored, withNewList, nowMs }: SettledFleet): Work {
  return inProcess("scan", 1, () => stepsOf(kind.observe(withNewList(), stored).decide(nowMs)));
}

function rebootIn({ kind, stored, withReboot, nowMs }: SettledFleet): Work {
  let turn = 0;
  return inProcess("reboot", 1, () => stepsOf(kind.observe(withReboot(turn++), stored).decide(nowMs)));
}

function stepsOf({ plan }: Decision): number {
  return plan.steps.length;
}

function parsing({ nodeObjects }: SettledFleet): Yardstick {
  const texts = nodeObjects.map((object) => JSON.stringify(object));
  const work = inProcess("JSON.parse", 1, () => {
    let fields = 0;
    for (const text of texts) fields += Object.keys(JSON.parse(text)).length;
    return fields;
  });
  return { name: "JSON.parse of them", bar: UNCHANGED_MAX, work };
}
