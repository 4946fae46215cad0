// How an advanced DaemonSet moves nodes to a new revision: the part of its API that differs between the two versions.
import { kubeSchema } from "../../schema/kube-schema.ts";
import { labelSelectorSchema } from "../../schema/label-selector-schema.ts";

type Share = number | string | undefined;

/** The fields that the rules below look at. */
type Strategy = {
  readonly type: string;
  readonly rollingUpdate?:
    | { readonly maxUnavailable?: Share; readonly maxSurge?: Share; readonly rollingUpdateType?: string | undefined }
    | undefined;
};

const isZero = (value: Share) => value === undefined || /^0+%?$/.test(String(value));

const fields = Object.freeze({
  maxUnavailable: kubeSchema
    .intOrPercent(
      "Nodes that may be without an available pod at once; a percentage rounds up. 1 if maxSurge is absent too.",
    )
    .optional(),
  maxSurge: kubeSchema
    .intOrPercent("Nodes that may run an old and a new pod at once; a percentage rounds up.")
    .optional(),
  selector: labelSelectorSchema.over("Nodes that may be updated; without it all may.").optional(),
  partition: kubeSchema.intOrPercent("Nodes that stay at the old revision; a percentage rounds down.").optional(),
  paused: kubeSchema.flag("Update no node until this is false again.").optional(),
  strictAvailability: kubeSchema
    .flag(
      "Count nodes into the budget whose pod was unavailable before the update; true if absent, false is Kruise's way.",
    )
    .optional(),
});

/** A set that waits for people to delete pods has no budget, and Kruise does not look at the one that it may still hold. */
const WITHOUT_BUDGET = "(has(self.type) && self.type == 'OnDelete') || !has(self.rollingUpdate)";
const budgetOf = ({ type, rollingUpdate }: Strategy) => (type === "OnDelete" ? undefined : rollingUpdate);

const rules = [
  {
    cel: `${WITHOUT_BUDGET} || !has(self.rollingUpdate.maxUnavailable) || !has(self.rollingUpdate.maxSurge) || string(self.rollingUpdate.maxUnavailable).matches('^0+%?$') || string(self.rollingUpdate.maxSurge).matches('^0+%?$')`,
    holds: (strategy: Strategy) => {
      const { maxUnavailable, maxSurge } = budgetOf(strategy) ?? {};
      return isZero(maxUnavailable) || isZero(maxSurge);
    },
    message:
      "must be zero or absent while maxUnavailable is not zero; choose one of the two budgets and set the other to 0",
    at: "rollingUpdate.maxSurge",
  },
  {
    cel: `${WITHOUT_BUDGET} || (!has(self.rollingUpdate.maxUnavailable) && !has(self.rollingUpdate.maxSurge)) || (has(self.rollingUpdate.rollingUpdateType) && self.rollingUpdate.rollingUpdateType == 'Surging' && !has(self.rollingUpdate.maxSurge)) || (has(self.rollingUpdate.maxUnavailable) && !string(self.rollingUpdate.maxUnavailable).matches('^0+%?$')) || (has(self.rollingUpdate.maxSurge) && !string(self.rollingUpdate.maxSurge).matches('^0+%?$'))`,
    holds: (strategy: Strategy) => {
      const { maxUnavailable, maxSurge, rollingUpdateType } = budgetOf(strategy) ?? {};
      const isAbsent = maxUnavailable === undefined && maxSurge === undefined;
      const isSurging = rollingUpdateType === "Surging" && maxSurge === undefined;
      return isAbsent || isSurging || !isZero(maxUnavailable) || !isZero(maxSurge);
    },
    message:
      "must not be zero while maxSurge is zero or absent, or no node could ever be updated; use paused to stop updates",
    at: "rollingUpdate.maxUnavailable",
  },
  {
    cel: `${WITHOUT_BUDGET} || !has(self.rollingUpdate.rollingUpdateType) || self.rollingUpdate.rollingUpdateType != 'InPlaceIfPossible' || !has(self.rollingUpdate.maxSurge) || string(self.rollingUpdate.maxSurge).matches('^0+%?$')`,
    holds: (strategy: Strategy) => {
      const { maxSurge, rollingUpdateType } = budgetOf(strategy) ?? {};
      return rollingUpdateType !== "InPlaceIfPossible" || isZero(maxSurge);
    },
    message: "must be zero or absent with InPlaceIfPossible: a pod that is updated in place has no second one",
    at: "rollingUpdate.maxSurge",
  },
] as const;

const surgingRule = {
  cel: `${WITHOUT_BUDGET} || !has(self.rollingUpdate.rollingUpdateType) || self.rollingUpdate.rollingUpdateType != 'Surging' || !has(self.rollingUpdate.maxUnavailable) || string(self.rollingUpdate.maxUnavailable).matches('^0+%?$')`,
  holds: (strategy: Strategy) => {
    const { maxUnavailable, rollingUpdateType } = budgetOf(strategy) ?? {};
    return rollingUpdateType !== "Surging" || isZero(maxUnavailable);
  },
  message: "must be zero or absent with Surging; use Standard for an update that takes pods away first",
  at: "rollingUpdate.maxUnavailable",
} as const;

const typeWords = "Standard replaces pods, InPlaceIfPossible changes a running pod where only such fields differ.";

const rollingUpdateWords = "The budget and the pace of an update.";

/** Clients in Go write an absent type as an empty text. */
const typeSchema = kubeSchema.choice("RollingUpdate, or OnDelete to update a node when its pod is deleted.", [
  "",
  "RollingUpdate",
  "OnDelete",
]);
const description = "How nodes get a new revision.";

/** `spec.updateStrategy` of v1beta1. */
export const updateSchema = kubeSchema.ruled(
  kubeSchema.shape(description, {
    type: typeSchema.default("RollingUpdate"),
    rollingUpdate: kubeSchema
      .shape(rollingUpdateWords, {
        rollingUpdateType: kubeSchema.choice(typeWords, ["", "Standard", "InPlaceIfPossible"]).optional(),
        ...fields,
      })
      .optional(),
  }),
  rules,
);

/** `spec.updateStrategy` of v1alpha1, with the type Surging. */
export const olderUpdateSchema = kubeSchema.ruled(
  kubeSchema.shape(description, {
    type: typeSchema.default("RollingUpdate"),
    rollingUpdate: kubeSchema
      .shape(rollingUpdateWords, {
        rollingUpdateType: kubeSchema
          .choice(`${typeWords} Surging is Standard with maxSurge.`, ["", "Standard", "Surging", "InPlaceIfPossible"])
          .optional(),
        ...fields,
      })
      .optional(),
  }),
  [...rules, surgingRule],
);
