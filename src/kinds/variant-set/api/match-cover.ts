// Whether one variant's match already takes every node that another's would: the warning that a variant is shadowed.

import { ruleCovers } from "../../../core/kernel/kernel-rule-cover.ts";
import { areEnclosing } from "../../../core/kernel/part-interval.ts";
import type { LabelSelector } from "../../../core/labels/label-selector.ts";
import { selectorCovers } from "../../../core/labels/label-selector-cover.ts";
import type { VariantMatch } from "./spec.ts";

/** True only if every node that `later` matches, `earlier` matches too; false also where it cannot tell. */
export function coversMatch(earlier: VariantMatch, later: VariantMatch): boolean {
  return (
    coversKernel(earlier.kernel, later.kernel) &&
    coversOs(earlier.os, later.os) &&
    coversWord(earlier.osImage?.pattern, later.osImage?.pattern) &&
    coversWord(earlier.arch, later.arch) &&
    coversWord(earlier.runtime, later.runtime) &&
    coversLabels(earlier.labels, later.labels)
  );
}

/** A part that is not given matches every node. */
function coversWord(earlier: string | undefined, later: string | undefined): boolean {
  return earlier === undefined || earlier === later;
}

function coversKernel(earlier: VariantMatch["kernel"], later: VariantMatch["kernel"]): boolean {
  return earlier === undefined || (later !== undefined && ruleCovers(earlier, later));
}

function coversOs(earlier: VariantMatch["os"], later: VariantMatch["os"]): boolean {
  if (earlier === undefined) return true;
  if (!coversWord(earlier.id, later?.id)) return false;
  const { version } = earlier;
  if (version === undefined) return true;
  return later?.version?.intervals.every((interval) => areEnclosing(version.intervals, interval)) === true;
}

function coversLabels(earlier: LabelSelector | undefined, later: LabelSelector | undefined): boolean {
  return earlier === undefined || selectorCovers(earlier, later ?? NO_CONDITION);
}

const NO_CONDITION: LabelSelector = Object.freeze({ kind: "all-of", requirements: [] });
