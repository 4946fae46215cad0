// Admission of a VariantSet: what would refuse it at reconcile refuses it here, and rules that can never win are pointed out.
import { labelSelectorText } from "../../core/label-selector.ts";
import { OS_NAMES } from "../../core/os-names.ts";
import type { Problem } from "../../core/problem.ts";
import { quoted } from "../../core/shown.ts";
import { admission, problem } from "../admission.ts";
import type { Admission } from "../kind.ts";
import { unknownPatchFields } from "../patch-fields.ts";
import { coversMatch } from "./match-cover.ts";
import { parseVariantSet } from "./parse.ts";
import type { RuledVariant, Variant, VariantSet } from "./spec.ts";

/** Architectures that Linux nodes report, in Go's words. */
const KNOWN_ARCHITECTURES: readonly string[] =
  "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x".split(" ");

/** Judges a VariantSet that someone wants to create, or to put in the place of another one. */
export function validateVariantSet(object: unknown, before?: unknown): Admission {
  const parsed = parseVariantSet(object);
  if (!parsed.ok) return admission(parsed);
  const set = parsed.value;
  const { variants, fallback } = set;
  const all: readonly Variant[] = fallback.kind === "variant" ? [...variants, fallback.variant] : variants;
  return admission(
    { problems: [...all.flatMap(patchFieldProblems), ...nameProblems(all), ...movedLabelProblems(set, before)] },
    { warnings: [...shadowWarnings(variants), ...variants.flatMap(deadWarnings), ...scopeWarnings(set)] },
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

function nameProblems(variants: readonly Variant[]): readonly Problem[] {
  return variants.flatMap(({ daemonSetName, place }, index) => {
    const other = variants.slice(0, index).find((each) => each.daemonSetName === daemonSetName);
    if (daemonSetName === undefined || other === undefined) return [];
    const message = `${quoted(daemonSetName)} is the DaemonSet of variant ${quoted(other.name)} too; one name, one DaemonSet`;
    return problem(`${place}.daemonSetName`, message);
  });
}

/** With the first match winning, a variant that an earlier one covers never gets a node. */
function shadowWarnings(variants: readonly RuledVariant[]): readonly string[] {
  return variants.flatMap((later, index) => {
    const earlier = variants.slice(0, index).find((each) => coversMatch(each.match, later.match));
    if (earlier === undefined) return [];
    const { place, name } = later;
    return [
      `${place}: variant ${quoted(name)} never gets a node, because ${quoted(earlier.name)} (${earlier.place}) takes all that it matches; put it first or narrow the other`,
    ];
  });
}

function deadWarnings({ match, place, name }: RuledVariant): readonly string[] {
  const { arch, os } = match;
  const never = `so variant ${quoted(name)} matches nothing`;
  const isArchKnown = arch === undefined || KNOWN_ARCHITECTURES.includes(arch);
  const isOsKnown = os?.id === undefined || OS_NAMES.some(({ id }) => id === os.id);
  return [
    ...(isArchKnown
      ? []
      : [`${place}.match.arch: no node reports ${quoted(arch)}, ${never}; amd64 and arm64 are usual`]),
    ...(isOsKnown
      ? []
      : [`${place}.match.os.id: Farrier reads no OS image as ${quoted(os?.id)}, ${never}; match osImage instead`]),
  ];
}

function scopeWarnings({ scope, variants, fallback }: VariantSet): readonly string[] {
  const isEverything = scope.kind === "selected" && labelSelectorText(scope.selector) === "";
  const isNothing = variants.length === 0 && fallback.kind !== "variant";
  return [
    ...(isEverything
      ? ["spec.nodeSelector: is empty, so every node is in scope; leave it out to mean Linux nodes"]
      : []),
    ...(isNothing ? ["spec.variants: is empty and there is no spec.default, so no node gets anything"] : []),
  ];
}
