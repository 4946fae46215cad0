// The status of an advanced DaemonSet: Kruise's counters under Kruise's names, conditions, and what became of the patches.
import { kubeSchema } from "../../schema/kube-schema.ts";
import { statusSchema } from "../../schema/status-schema.ts";
import { PATCHES_MAX } from "./schema.ts";

const SELECTOR_TEXT_MAX = 4096;

const patchStatusSchema = kubeSchema.shape("What became of one patch.", {
  index: kubeSchema.wholeNumber("Its place in spec.patches.", { min: 0, max: PATCHES_MAX - 1 }),
  matched: statusSchema.count("Nodes whose labels match it."),
  updated: statusSchema.count("Of these, nodes whose pod has it."),
});

const fields = Object.freeze({
  observedGeneration: statusSchema.observedGeneration(),
  currentNumberScheduled: statusSchema.count("Nodes that run a pod and should."),
  numberMisscheduled: statusSchema.count("Nodes that run a pod and should not."),
  desiredNumberScheduled: statusSchema.count("Nodes that should run a pod."),
  numberReady: statusSchema.count("Nodes whose pod is ready."),
  updatedNumberScheduled: statusSchema.count("Nodes whose pod has the newest revision."),
  numberAvailable: statusSchema.count("Nodes whose pod has been ready for minReadySeconds.").optional(),
  numberUnavailable: statusSchema.count("Nodes that should have an available pod and have none.").optional(),
  collisionCount: statusSchema.count("How often two revisions had one hash.").optional(),
  conditions: statusSchema.conditions(),
  patches: kubeSchema
    .list("What became of the patches.", patchStatusSchema, { max: PATCHES_MAX, type: "map", keys: ["index"] })
    .optional(),
  labelSelector: kubeSchema
    .text("The selector of the pods as text, for the scale subresource.", { max: SELECTOR_TEXT_MAX })
    .optional(),
  problems: statusSchema.problems(),
});

/** The status of v1beta1. */
export const daemonSetStatusSchema = kubeSchema.shape("What Farrier found and did.", {
  ...fields,
  updateRevision: kubeSchema.text("The hash of the newest revision.", { max: 63 }).optional(),
});

/** The status of v1alpha1, which has another word for the revision. */
export const olderDaemonSetStatusSchema = kubeSchema.shape("What Farrier found and did.", {
  ...fields,
  daemonSetHash: kubeSchema.text("The hash of the newest revision.", { max: 63 }).optional(),
});
