// The core's algorithms against the Go code that Kubernetes uses for the same, and against JSON.parse.
import type { Benchmark } from "../benchmark.ts";
import { compareWorks } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { startGo } from "./go-yardstick.ts";
import { matchingComparisons } from "./matching.ts";
import { mergeComparisons } from "./merge.ts";

export const core: Benchmark = {
  name: "core",
  summary: "strategic merge, selectors, should-run and node facts against Kubernetes' own Go code",
  run: async (context) => {
    const go = startGo();
    try {
      const figures: Figure[] = [];
      for (const comparison of [...(await mergeComparisons(go)), ...matchingComparisons(go)]) {
        context.progress(`measuring ${comparison.name}`);
        figures.push(...(await compareWorks(comparison, context)));
      }
      return figures;
    } finally {
      go.close();
    }
  },
};
