// A VariantSet with twelve variants on 1,000 nodes of a real control plane.
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { boundScene } from "../real/bound-scene.ts";
import { NODES } from "../real/fleet-size.ts";
import { type Body, NAMESPACE, variantSets } from "../real/resources.ts";

export const VARIANTS = 12;
const TAG = "v1";
const lines = Array.from({ length: VARIANTS }, (_, at) => at);

/** A fleet with all the kernels. */
export const machinesOf = (count: number) => mixedFleet({ count, kernels: lines.map((at) => `5.${at}.0-40-generic`) });

const image = (line: number) => `registry.example.com/agent-5.${line}:${TAG}`;

export const object: Body = {
  ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "agent", namespace: NAMESPACE } },
  spec: {
    template: { spec: { containers: [{ name: "agent", image: `registry.example.com/agent:${TAG}` }] } },
    variants: lines.map((at) => ({
      ...{ name: `line-${at}`, match: { kernel: `5.${at}.x` }, images: { agent: image(at) } },
    })),
  },
};

export const variantSetStory = boundScene({
  ...{ machines: machinesOf(NODES), resource: variantSets, object, tag: TAG, labelsPerNode: 1 },
  isLate: () => false,
});
