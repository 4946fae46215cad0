// The API of the advanced DaemonSet in both versions: Kruise's fields, patches by node label, and a few of our own.

import { podTemplateSchema } from "../../pod-template/pod-template-schema.ts";
import { INT32_MAX, kubeSchema } from "../../schema/kube-schema.ts";
import { labelSelectorSchema } from "../../schema/label-selector-schema.ts";
import { olderUpdateSchema, updateSchema } from "./schema-update.ts";

export const PATCHES_MAX = 10;
/** Bytes of a patch as compact JSON. The API server cannot see the size of unknown fields, so admission counts. */
export const PATCH_BYTES_MAX = 1024;
const FINALIZERS_MAX = 32;

const hookSchema = kubeSchema.shape("What must happen to a pod before it goes.", {
  labelsHandler: kubeSchema
    .textMap("Labels that hold the pod while it has them.", { max: 32, keyMax: 317, valueMax: 63 })
    .optional(),
  finalizersHandler: kubeSchema
    .list("Finalizers that hold the pod while it has them.", kubeSchema.text("A finalizer.", { max: 317 }), {
      ...{ max: FINALIZERS_MAX, type: "atomic" },
    })
    .optional(),
  markPodNotReady: kubeSchema.flag("Mark the pod as not ready while it is held.").optional(),
});

const lifecycleSchema = kubeSchema.ruled(
  kubeSchema.shape("Hooks in the life of a pod.", {
    preDelete: hookSchema.optional(),
    inPlaceUpdate: hookSchema.optional(),
    preNormal: hookSchema.optional(),
  }),
  [
    {
      cel: "!has(self.inPlaceUpdate)",
      holds: ({ inPlaceUpdate }) => inPlaceUpdate === undefined,
      message: "is not supported by a DaemonSet; remove it, preDelete is the only hook",
      at: "inPlaceUpdate",
    },
  ],
);

const patchSchema = kubeSchema.shape("A patch for the nodes of a selector.", {
  selector: labelSelectorSchema.over("The nodes, by label; an empty selector is every node."),
  patch: kubeSchema.opaque(
    "A strategic merge patch of the pod template, with metadata and spec at its root; at most 1 KiB.",
  ),
  priority: kubeSchema
    .wholeNumber("Patches are applied in ascending order, then in list order; the last one wins. 0 if absent.", {
      ...{ min: -INT32_MAX - 1, max: INT32_MAX },
    })
    .optional(),
});

/** As Go compares: an empty list or map is the same as none. */
const LABELS_ARE_SAME =
  "(has(self.matchLabels) && size(self.matchLabels) > 0) == (has(oldSelf.matchLabels) && size(oldSelf.matchLabels) > 0) && (!has(self.matchLabels) || !has(oldSelf.matchLabels) || self.matchLabels == oldSelf.matchLabels)";
const CONDITIONS_ARE_SAME =
  "(has(self.matchExpressions) ? self.matchExpressions.map(e, [e.key, e.operator] + (has(e.values) ? e.values : [])) : []) == (has(oldSelf.matchExpressions) ? oldSelf.matchExpressions.map(e, [e.key, e.operator] + (has(e.values) ? e.values : [])) : [])";

const fields = Object.freeze({
  selector: labelSelectorSchema.over("The pods of the set, by label; cannot be changed.").meta({
    "x-kubernetes-validations": [
      {
        rule: `${LABELS_ARE_SAME} && ${CONDITIONS_ARE_SAME}`,
        message: "cannot be changed: create another DaemonSet, or keep the selector",
      },
    ],
  }),
  template: podTemplateSchema.of("The pods, before patches change them."),
  patches: kubeSchema
    .list("Changes of the template for nodes with certain labels.", patchSchema, { max: PATCHES_MAX, type: "atomic" })
    .optional(),
  minReadySeconds: kubeSchema
    .wholeNumber("How long a pod must have been ready to count as available.", { min: 0, max: INT32_MAX })
    .optional(),
  burstReplicas: kubeSchema
    .intOrPercent(
      "Pods that are created, deleted or updated in place at once; a percentage is of the desired number, and may be above 100%.",
      { isBeyondAll: true },
    )
    .default(250),
  revisionHistoryLimit: kubeSchema
    .wholeNumber("Old revisions that are kept for a rollback.", { min: 0, max: INT32_MAX })
    .default(10),
  lifecycle: lifecycleSchema.optional(),
  replicas: kubeSchema
    .wholeNumber(
      "Give any number to have the desired number of pods kept here, where a disruption budget in percent looks for it; absent, it stays so.",
      { min: 0, max: INT32_MAX },
    )
    .optional(),
});

/** Kruise takes a burst of nothing, and then never creates a pod. */
const rules = [
  {
    cel: "!has(self.burstReplicas) || !string(self.burstReplicas).matches('^0+%?$')",
    holds: ({ burstReplicas }: { readonly burstReplicas: number | string }) => !/^0+%?$/.test(String(burstReplicas)),
    message: "must not be zero, or no pod could ever be created; 250 is the default",
    at: "burstReplicas",
  },
] as const;

/** The spec of v1beta1, which is stored. */
export const daemonSetSpecSchema = kubeSchema.ruled(
  kubeSchema.shape("What runs where, and how it is updated.", {
    ...fields,
    updateStrategy: updateSchema.prefault({}),
    scaleStrategy: kubeSchema
      .shape("How pods are created on nodes that have none.", {
        partitionedScaling: kubeSchema.flag("Let the partition hold back creations, too.").optional(),
      })
      .optional(),
  }),
  rules,
);

/** The spec of v1alpha1, which is served. */
export const olderDaemonSetSpecSchema = kubeSchema.ruled(
  kubeSchema.shape("What runs where, and how it is updated.", {
    ...fields,
    updateStrategy: olderUpdateSchema.prefault({}),
  }),
  rules,
);
