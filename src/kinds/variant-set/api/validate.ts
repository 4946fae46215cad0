// Admission of a VariantSet: what would refuse it at reconcile refuses it here, and rules that can never win are pointed out.
import type { Problem } from "../../../core/decision/problem.ts";
import { quoted } from "../../../core/values/shown.ts";
import type { Admission } from "../../kind.ts";
import { unknownPatchFields } from "../../pod-template/patch-fields.ts";
import { admission, problem } from "../../schema/admission.ts";
import { madeName } from "../cell.ts";
import { idleRuleWarnings } from "./idle-rules.ts";
import { parseVariantSet } from "./parse.ts";
import type { Variant, VariantSet } from "./spec.ts";

/** Judges a VariantSet that someone wants to create, or to put in the place of another one. */
export function validateVariantSet(object: unknown, before?: unknown): Admission {
  const parsed = parseVariantSet(object);
  if (!parsed.ok) return admission(parsed);
  const set = parsed.value;
  const { variants, fallback } = set;
  const all: readonly Variant[] = fallback.kind === "variant" ? [...variants, fallback.variant] : variants;
  return admission(
    { problems: [...all.flatMap(patchFieldProblems), ...nameProblems(set, all), ...movedLabelProblems(set, before)] },
    { warnings: idleRuleWarnings(set) },
  );
}

/** Nodes are bound by the label: under another key every pod would lose its node before it could get it again. */
function movedLabelProblems({ nodeLabel }: VariantSet, before: unknown): readonly Problem[] {
  const was = parseVariantSet(before);
  if (!was.ok || was.value.nodeLabel === nodeLabel) return [];
  const message = `cannot be changed from ${quoted(was.value.nodeLabel)} to ${quoted(nodeLabel)}: nodes are bound by it; make another set`;
  return problem("spec.nodeLabel", message);
}

function patchFieldProblems({ patch, place }: Variant): readonly Problem[] {
  return patch === undefined ? [] : unknownPatchFields(patch, `${place}.patch`);
}

/** One name, one DaemonSet; also where one of two names is made. */
function nameProblems(set: VariantSet, variants: readonly Variant[]): readonly Problem[] {
  const names = variants.map((variant) => variant.daemonSetName ?? madeName(set, variant));
  return variants.flatMap(({ daemonSetName, place }, index) => {
    const other = variants.find((_, at) => at !== index && names[at] === daemonSetName);
    const isLater = other !== undefined && (other.daemonSetName === undefined || variants.indexOf(other) < index);
    if (daemonSetName === undefined || !isLater) return [];
    const message = `${quoted(daemonSetName)} is the DaemonSet of variant ${quoted(other.name)} too; one name, one DaemonSet`;
    return problem(`${place}.daemonSetName`, message);
  });
}
