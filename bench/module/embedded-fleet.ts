// Three Modules on 5,000 nodes with eight kernels of the embedded control plane.

import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { thinDefinition } from "../../sim/scenarios/module/simulated-module.ts";
import { planBuilds } from "../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../src/kinds/module/module-kind.ts";
import type { EmbeddedStory } from "../embedded/embedded-story.ts";
import { type Body, modules, NAMESPACE } from "../real/resources.ts";
import { KERNELS } from "./real-fleet.ts";

const MODULES = 3;
/** The binding with the kernel, and that the driver is ready: the pod comes in between. */
const WRITES_PER_NODE = 2;

const aModule = (name: string): Body => ({
  ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", metadata: { name, namespace: NAMESPACE } },
  spec: {
    selector: { "kubernetes.io/os": "linux" },
    kernelMappings: [{ regexp: "generic$", containerImage: `registry.example.com/${name}:v1` }],
    driverContainer: { args: ["load"] },
  },
});

/** The story in a fleet of so many nodes. */
export function embeddedModules(count: number): EmbeddedStory {
  return {
    machines: mixedFleet({ count, kernels: KERNELS }),
    kind: createModuleKind({ planBuilds }),
    ...{ definition: thinDefinition, resource: modules },
    objects: Array.from({ length: MODULES }, (_, at) => aModule(`driver-${at}`)),
  };
}

/** The DaemonSets, and the labels of nodes. */
export function mustChange(count: number): number {
  return MODULES * (KERNELS.length + count * WRITES_PER_NODE);
}
