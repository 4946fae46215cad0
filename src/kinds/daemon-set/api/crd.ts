// The custom resource definition of the advanced DaemonSet, with the names and columns that Kruise's has.
import type { CrdSource, PrinterColumn } from "../../schema/crd.ts";
import { daemonSetSpecSchema, olderDaemonSetSpecSchema } from "./schema.ts";
import { daemonSetStatusSchema, olderDaemonSetStatusSchema } from "./schema-status.ts";

const columns: readonly PrinterColumn[] = [
  { name: "DESIRED", type: "integer", jsonPath: ".status.desiredNumberScheduled", description: "Nodes in scope." },
  { name: "CURRENT", type: "integer", jsonPath: ".status.currentNumberScheduled", description: "Nodes with a pod." },
  { name: "READY", type: "integer", jsonPath: ".status.numberReady", description: "Nodes with a ready pod." },
  { name: "UP-TO-DATE", type: "integer", jsonPath: ".status.updatedNumberScheduled", description: "Nodes updated." },
  {
    name: "AVAILABLE",
    type: "integer",
    jsonPath: ".status.numberAvailable",
    description: "Nodes with an available pod.",
  },
  { name: "AGE", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since it was created." },
  {
    ...{ name: "CONTAINERS", type: "string", description: "Containers of the template.", isWide: true },
    jsonPath: ".spec.template.spec.containers[*].name",
  },
  {
    ...{ name: "IMAGES", type: "string", description: "Images of the template.", isWide: true },
    jsonPath: ".spec.template.spec.containers[*].image",
  },
];

/** For budgets of disruption, which ask the owner of a pod how many there should be. */
const scale = Object.freeze({
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.desiredNumberScheduled",
  labelSelectorPath: ".status.labelSelector",
});

export const daemonSetCrd: CrdSource = {
  names: {
    group: "apps.kruise.io",
    kind: "DaemonSet",
    plural: "daemonsets",
    singular: "daemonset",
    shortNames: ["daemon", "ads"],
  },
  description: "A daemon in one object: patches give nodes with certain labels a pod of their own shape.",
  versions: [
    {
      ...{ name: "v1alpha1", isStorage: false, columns, scale },
      ...{ spec: olderDaemonSetSpecSchema, status: olderDaemonSetStatusSchema },
    },
    {
      ...{ name: "v1beta1", isStorage: true, columns, scale },
      ...{ spec: daemonSetSpecSchema, status: daemonSetStatusSchema },
    },
  ],
};
