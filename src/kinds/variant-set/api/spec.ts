// The parsed VariantSet: what the rest of the kind works with. Rules are compiled, defaults are filled in, and nothing
// behind this type has to look at the written object again.

import type { JsonObject } from "../../../core/json/json.ts";
import type { KernelRule } from "../../../core/kernel/kernel-rule.ts";
import type { LabelSelector } from "../../../core/labels/label-selector.ts";
import type { GoRegexp } from "../../../core/values/go-regexp.ts";
import type { ImageTemplate } from "../../../core/values/image-template.ts";
import type { NumberRule } from "../../schema/number-rule.ts";
import type { UpdateStrategy } from "../../schema/update-strategy-schema.ts";

/** What the variant of a node that no rule matches is called. */
export const DEFAULT_VARIANT = "default";

export type VariantSet = {
  readonly name: string;
  readonly namespace: string;
  readonly scope: Scope;
  readonly template: JsonObject;
  /** In list order: the first that matches wins. */
  readonly variants: readonly RuledVariant[];
  readonly fallback: Fallback;
  readonly onUnknown: "Default" | "None" | "Hold";
  /** The key of the label that binds a node to its variant. */
  readonly nodeLabel: string;
  readonly updateStrategy: UpdateStrategy;
  readonly pruneAfterMs: number;
  readonly isImageRequired: boolean;
  readonly daemonSetsMax: number;
};

export type Scope = { readonly kind: "all-linux" } | { readonly kind: "selected"; readonly selector: LabelSelector };

/** What a node gets that no variant matches. */
export type Fallback =
  | { readonly kind: "none" }
  | { readonly kind: "hold" }
  | { readonly kind: "variant"; readonly variant: Variant };

export type Variant = {
  readonly name: string;
  /** Where it stands, as a user would find it: `spec.variants["5.x"]`. */
  readonly place: string;
  /** By name of the container. */
  readonly images: ReadonlyMap<string, ImageTemplate>;
  readonly patch: JsonObject | undefined;
  /** The name of the DaemonSet to adopt; undefined where the name is made. */
  readonly daemonSetName: string | undefined;
};

export type RuledVariant = Variant & { readonly match: VariantMatch };

/** Every part that is there must match. */
export type VariantMatch = {
  readonly kernel: KernelRule | undefined;
  readonly os: { readonly id: string | undefined; readonly version: NumberRule | undefined } | undefined;
  readonly osImage: GoRegexp | undefined;
  readonly arch: string | undefined;
  readonly runtime: string | undefined;
  readonly labels: LabelSelector | undefined;
};
