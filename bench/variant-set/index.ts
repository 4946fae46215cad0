// What a decision about a VariantSet costs, beside reading the nodes that it is about.
import { atMost } from "../bar.ts";
import type { Benchmark } from "../benchmark.ts";
import { compareWorks, type WorkComparison } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { inProcess } from "../measure.ts";
import { type SettledSet, settledSet } from "./settled-set.ts";

const LARGE = 5_000;
const SMALL = 500;

export const variantSet: Benchmark = {
  name: "variant-set",
  summary: "deciding for a set of 12 variants on 5,000 nodes, against JSON.parse of those nodes",
  run: async (context) => {
    const large = settledSet(LARGE);
    const figures: Figure[] = [];
    for (const comparison of [unchanged(large), oneReboot(large, settledSet(SMALL))]) {
      context.progress(`measuring ${comparison.name}`);
      figures.push(...(await compareWorks(comparison, context)));
    }
    return figures;
  },
};

/** The bar of the design: a fiftieth of what it costs to read the nodes at all. */
function unchanged({ kind, stored, snapshot, nowMs, nodeObjects }: SettledSet): WorkComparison {
  const texts = nodeObjects.map((node) => JSON.stringify(node));
  return {
    name: `decide, ${LARGE} nodes unchanged`,
    unit: "ms",
    subject: inProcess("decide", 1, () => kind.observe(snapshot, stored).decide(nowMs).plan.steps.length),
    yardsticks: [
      {
        name: "JSON.parse of the nodes",
        bar: atMost(1 / 50),
        work: inProcess("JSON.parse", 1, () => {
          let fields = 0;
          for (const text of texts) fields += Object.keys(JSON.parse(text)).length;
          return fields;
        }),
      },
    ],
  };
}

/** What one node costs must not grow with the fleet, beyond the scan that a decision is. */
function oneReboot(large: SettledSet, small: SettledSet): WorkComparison {
  const reboots = (set: SettledSet) => {
    let turn = 0;
    return () => {
      turn += 1;
      const was = set.snapshot.nodes[0];
      const [now] = set.withReboot(turn).nodes;
      return Number(set.kind.concerns(set.stored, was, now));
    };
  };
  return {
    name: `whom does a reboot concern, of ${LARGE} nodes`,
    unit: "µs",
    subject: inProcess("large", 1, reboots(large)),
    yardsticks: [{ name: `of ${SMALL} nodes`, work: inProcess("small", 1, reboots(small)) }],
  };
}
