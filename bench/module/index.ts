// Deciding about a Module in a large fleet, against reading the nodes of that fleet once; what the operator sends for three of them; and
// fitting one on a real control plane.
import type { Benchmark } from "../benchmark.ts";
import { decisionFigures } from "../core/decision-figures.ts";
import { playStory } from "../embedded/embedded-story.ts";
import { requestFigures } from "../embedded/request-figures.ts";
import { boundFigures } from "../real/bound-figures.ts";
import { guest } from "../real/contestants/guest.ts";
import { countsText } from "../real/request-log.ts";
import { embeddedModules, mustChange } from "./embedded-fleet.ts";
import { moduleStory } from "./real-fleet.ts";
import { settledModule } from "./settled-module.ts";

const NODES = 5_000;

export const module: Benchmark = {
  name: "module",
  summary: "a Module's decisions and requests over 5,000 nodes, and its story on 1,000 of a real control plane (5 min)",
  run: async (context) => {
    const decisions = await decisionFigures(settledModule, context);
    context.progress(`fitting three Modules on ${NODES} nodes of the embedded control plane`);
    const requests = await playStory(embeddedModules(NODES));
    context.progress(`the operator sent ${countsText(requests)}`);
    const kmm = guest({ name: "KMM", variable: "FARRIER_BENCH_KMM_MANAGER" });
    return [
      ...decisions,
      ...requestFigures(`three Modules, ${NODES} nodes`, requests, mustChange(NODES)),
      ...(await boundFigures(moduleStory, [kmm], context)),
    ];
  },
};
