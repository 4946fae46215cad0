// A VariantSet with twelve variants on 5,000 nodes of the embedded control plane.
import { thinDefinition } from "../../sim/scenarios/variant-set/set-world.ts";
import { createVariantSetKind } from "../../src/kinds/variant-set/variant-set-kind.ts";
import type { EmbeddedStory } from "../embedded/embedded-story.ts";
import { variantSets } from "../real/resources.ts";
import { machinesOf, object, VARIANTS } from "./real-fleet.ts";

/** The story in a fleet of so many nodes. */
export function embeddedVariants(count: number): EmbeddedStory {
  return {
    ...{ machines: machinesOf(count), kind: createVariantSetKind(), definition: thinDefinition },
    ...{ resource: variantSets, objects: [object] },
  };
}

/** The DaemonSets, and one label for each node. */
export function mustChange(count: number): number {
  return VARIANTS + count;
}
