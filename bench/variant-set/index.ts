// What a decision about a VariantSet costs, beside reading the nodes that it is about.
import { atMost } from "../bar.ts";
import type { Benchmark } from "../benchmark.ts";
import { compareWorks, type WorkComparison, type Yardstick } from "../compare.ts";
import type { SettledFleet } from "../core/settled-fleet.ts";
import type { Figure } from "../figure.ts";
import { inProcess } from "../measure.ts";
import { boundFigures } from "../real/bound-figures.ts";
import { variantSetStory } from "./real-fleet.ts";
import { settledVariants } from "./settled-variants.ts";

const LARGE = 5_000;

export const variantSet: Benchmark = {
  name: "variant-set",
  summary: "deciding for 12 variants on 5,000 nodes, and their story on 1,000 of a real control plane (3 min)",
  run: async (context) => {
    const large = settledVariants(LARGE);
    const figures: Figure[] = [];
    for (const comparison of [unchanged(large), oneReboot(large)]) {
      context.progress(`measuring ${comparison.name}`);
      figures.push(...(await compareWorks(comparison, context)));
    }
    return [...figures, ...(await boundFigures(variantSetStory, [], context))];
  },
};

/** The bar of the design: a fiftieth of what it costs to read the nodes at all. */
function unchanged(set: SettledFleet): WorkComparison {
  const { kind, stored, snapshot, nowMs } = set;
  return {
    name: `decide, ${LARGE} nodes unchanged`,
    unit: "ms",
    subject: inProcess("decide", 1, () => kind.observe(snapshot, stored).decide(nowMs).plan.steps.length),
    yardsticks: [parsing(set)],
  };
}

/** One node is new in a list that is new; all others are where they were. */
function oneReboot(set: SettledFleet): WorkComparison {
  const { kind, stored, nowMs } = set;
  let turn = 0;
  return {
    name: `decide, one of ${LARGE} nodes rebooted`,
    unit: "ms",
    subject: inProcess("decide", 1, () => {
      turn += 1;
      return kind.observe(set.withReboot(turn), stored).decide(nowMs).plan.steps.length;
    }),
    yardsticks: [parsing(set)],
  };
}

function parsing({ nodeObjects }: SettledFleet): Yardstick {
  const texts = nodeObjects.map((node) => JSON.stringify(node));
  const work = inProcess("JSON.parse", 1, () => {
    let fields = 0;
    for (const text of texts) fields += Object.keys(JSON.parse(text)).length;
    return fields;
  });
  return { name: "JSON.parse of the nodes", bar: atMost(1 / 50), work };
}
