// The parsed advanced DaemonSet: what the rest of the kind works with. Budgets are one or the other, patches stand in the
// order in which they are applied, and a patch that cannot be used says so without harming the others.

import type { Problem } from "../../../core/decision/problem.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { LabelSelector } from "../../../core/labels/label-selector.ts";
import type { IntOrPercent } from "../../../core/values/int-or-percent.ts";

export type AdvancedDaemonSet = {
  readonly name: string;
  readonly namespace: string;
  /** The pods of the set; never changes. */
  readonly selector: LabelSelector;
  readonly template: JsonObject;
  /** Ascending by priority, then in list order: the last one that matches a node wins. */
  readonly patches: readonly NodePatch[];
  readonly updateStrategy: { readonly kind: "OnDelete" } | RollingUpdate;
  readonly minReadySeconds: number;
  /** Pods that are created, deleted or updated in place at once. */
  readonly burst: IntOrPercent;
  readonly revisionsKept: number;
  readonly preDelete: PreDeleteHook | undefined;
  /** What stands where disruption budgets look for the desired number of pods; undefined when nobody asked for it. */
  readonly replicas: number | undefined;
  /** The partition holds back creations, too. */
  readonly isScalingPartitioned: boolean;
};

export type NodePatch = {
  /** The place in spec.patches. */
  readonly index: number;
  readonly priority: number;
  readonly selector: LabelSelector;
  readonly patch: JsonObject;
  /** Why it cannot be used: nodes that it matches keep what they have. Empty for a good one. */
  readonly faults: readonly Problem[];
};

export type RollingUpdate = {
  readonly kind: "RollingUpdate";
  readonly isInPlacePreferred: boolean;
  /** Take pods away first, or add new ones first; never both. */
  readonly budget: { readonly kind: "unavailable" | "surge"; readonly max: IntOrPercent };
  /** Nodes that may be updated; undefined for all. */
  readonly candidates: LabelSelector | undefined;
  readonly partition: IntOrPercent;
  readonly isPaused: boolean;
  /** Pods that were unavailable before the update count into the budget. */
  readonly isStrict: boolean;
};

/** A pod that is to go waits while it has these labels or finalizers. */
export type PreDeleteHook = {
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly isMarkedNotReady: boolean;
};

/** Whether a new pod comes beside the old one, and not after it. */
export function isSurging({ updateStrategy: strategy }: Pick<AdvancedDaemonSet, "updateStrategy">): boolean {
  return strategy.kind === "RollingUpdate" && strategy.budget.kind === "surge";
}
