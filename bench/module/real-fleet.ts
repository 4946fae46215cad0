// A Module on 1,000 nodes with eight kernels of a real control plane, beside an oracle and, if it is there, KMM's manager.
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { boundScene } from "../real/bound-scene.ts";
import { NODES } from "../real/fleet-size.ts";
import { type Body, modules, NAMESPACE } from "../real/resources.ts";

export const KERNELS: readonly string[] = Array.from({ length: 8 }, (_, at) => `6.8.0-${40 + at}-generic`);

const SCOPE = "example.org/driver";
const TAG = "v1";

const machines = mixedFleet({ count: NODES, kernels: KERNELS }).map((machine) => ({
  ...machine,
  labels: { ...machine.labels, [SCOPE]: "yes" },
}));

const object: Body = {
  ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", metadata: { name: "driver", namespace: NAMESPACE } },
  spec: {
    selector: { [SCOPE]: "yes" },
    kernelMappings: [{ regexp: "generic$", containerImage: `registry.example.com/driver:${TAG}` }],
    driverContainer: { args: ["load"] },
  },
};

/** The binding, the kernel, and that the driver is ready. */
const LABELS_PER_NODE = 3;

export const moduleStory = boundScene({
  ...{ machines, resource: modules, object, tag: TAG, labelsPerNode: LABELS_PER_NODE },
  isLate: (label) => label.endsWith(".ready"),
});
