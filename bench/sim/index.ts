// The embedded API server: what a write, a delivery and a stored object cost, against JSON itself.
import type { Benchmark } from "../benchmark.ts";
import { compareWorks, type WorkComparison } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { clusterFigures } from "./clusters.ts";
import { memoryFigures, sizeComparisons } from "./fleet-size.ts";
import { historyFigures } from "./histories.ts";
import { watchComparisons } from "./watches.ts";
import { writeComparisons } from "./writes.ts";

export const sim: Benchmark = {
  name: "sim",
  summary: "writes, watches and memory of the embedded API server against JSON.parse and JSON.stringify",
  run: async (context) => {
    // Memory first: what the other works leave behind would count in it.
    context.progress("measuring memory");
    const memory = await memoryFigures();
    const figures: Figure[] = [];
    for (const comparisons of [writeComparisons, watchComparisons, sizeComparisons])
      for (const comparison of await comparisons()) figures.push(...(await measured(comparison)));
    context.progress("starting whole clusters");
    const clusters = await clusterFigures();
    context.progress("running histories");
    return [...figures, ...memory, ...clusters, ...(await historyFigures())];

    function measured(comparison: WorkComparison): Promise<readonly Figure[]> {
      context.progress(`measuring ${comparison.name}`);
      return compareWorks(comparison, context);
    }
  },
};
