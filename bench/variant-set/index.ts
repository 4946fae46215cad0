// Deciding about a VariantSet in a large fleet, beside reading its nodes once; what the operator sends for it; and fitting one on a real
// control plane.
import type { Benchmark } from "../benchmark.ts";
import { decisionFigures } from "../core/decision-figures.ts";
import { playStory } from "../embedded/embedded-story.ts";
import { requestFigures } from "../embedded/request-figures.ts";
import { boundFigures } from "../real/bound-figures.ts";
import { countsText } from "../real/request-log.ts";
import { embeddedVariants, mustChange } from "./embedded-fleet.ts";
import { variantSetStory } from "./real-fleet.ts";
import { settledVariants } from "./settled-variants.ts";

const NODES = 5_000;

export const variantSet: Benchmark = {
  name: "variant-set",
  summary:
    "decisions and requests for 12 variants on 5,000 nodes, and their story on 1,000 of a real control plane (5 min)",
  run: async (context) => {
    const decisions = await decisionFigures(settledVariants, context);
    context.progress(`fitting a set on ${NODES} nodes of the embedded control plane`);
    const requests = await playStory(embeddedVariants(NODES));
    context.progress(`the operator sent ${countsText(requests)}`);
    return [
      ...decisions,
      ...requestFigures(`12 variants, ${NODES} nodes`, requests, mustChange(NODES)),
      ...(await boundFigures(variantSetStory, [], context)),
    ];
  },
};
