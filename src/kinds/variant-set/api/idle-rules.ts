// Rules of a set that say less than their author may think: a variant that no node can get, one that an earlier one takes everything from,
// one that takes every node. Each is a warning that names the field and what to do; none of them is a reason to refuse the set.
import { ruleCovers, rulesOverlap } from "../../../core/kernel/kernel-rule-cover.ts";
import { labelSelectorText } from "../../../core/labels/label-selector.ts";
import { findContradiction } from "../../../core/labels/label-selector-cover.ts";
import { OS_NAMES } from "../../../core/node/os-names.ts";
import { quoted } from "../../../core/values/shown.ts";
import { coversMatch } from "./match-cover.ts";
import type { RuledVariant, VariantMatch, VariantSet } from "./spec.ts";

/** Architectures that Linux nodes report, in Go's words. */
const KNOWN_ARCHITECTURES: readonly string[] =
  "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x".split(" ");
/** Expressions that are found in every text. */
const EVERY_TEXT: readonly string[] = [".*", "^.*$", "^.*", ".*$", "^", "$"];

/** Lists the warnings about the rules of a set. */
export function idleRuleWarnings(set: VariantSet): readonly string[] {
  const { variants } = set;
  return [
    ...scopeWarnings(set),
    ...variants.flatMap((variant) => [...deadWarnings(variant, set), ...emptyPartWarnings(variant)]),
    ...shadowWarnings(variants),
    ...overlapWarnings(variants),
    ...everythingWarnings(set),
  ];
}

function scopeWarnings({ scope, variants, fallback }: VariantSet): readonly string[] {
  const selector = scope.kind === "selected" ? scope.selector : undefined;
  const contradiction = selector && findContradiction(selector);
  const isNothing = variants.length === 0 && fallback.kind !== "variant";
  return [
    ...(selector !== undefined && labelSelectorText(selector) === ""
      ? ["spec.nodeSelector: is empty, so every node is in scope; leave it out to mean Linux nodes"]
      : []),
    ...(contradiction === undefined
      ? []
      : [`spec.nodeSelector: ${contradiction} can never hold together, so no node is in scope; correct one of them`]),
    ...(isNothing ? ["spec.variants: is empty and there is no spec.default, so no node gets anything"] : []),
  ];
}

function deadWarnings({ match, place, name }: RuledVariant, { scope }: VariantSet): readonly string[] {
  const { arch, os, labels } = match;
  const never = `so variant ${quoted(name)} matches nothing`;
  const isArchKnown = arch === undefined || KNOWN_ARCHITECTURES.includes(arch);
  const isOsKnown = os?.id === undefined || OS_NAMES.some(({ id }) => id === os.id);
  const own = labels && findContradiction(labels);
  const withScope =
    labels && own === undefined && scope.kind === "selected" ? findContradiction(scope.selector, labels) : undefined;
  return [
    ...(isArchKnown
      ? []
      : [`${place}.match.arch: no node reports ${quoted(arch)}, ${never}; amd64 and arm64 are usual`]),
    ...(isOsKnown
      ? []
      : [`${place}.match.os.id: Farrier reads no OS image as ${quoted(os?.id)}, ${never}; match osImage instead`]),
    ...(own === undefined
      ? []
      : [`${place}.match.labels: ${own} can never hold together, ${never}; correct one of them`]),
    ...(withScope === undefined
      ? []
      : [
          `${place}.match.labels: with spec.nodeSelector ${withScope} can never hold together, ${never}; correct one of them`,
        ]),
  ];
}

/** A part that is written and asks for nothing. */
function emptyPartWarnings({ match: { os, labels }, place }: RuledVariant): readonly string[] {
  const isOsEmpty = os !== undefined && os.id === undefined && os.version === undefined;
  const areLabelsEmpty = labels !== undefined && labelSelectorText(labels) === "";
  const said = "is empty, so it asks for nothing; give it a rule, or leave it out";
  return [
    ...(isOsEmpty ? [`${place}.match.os: ${said}`] : []),
    ...(areLabelsEmpty ? [`${place}.match.labels: ${said}`] : []),
  ];
}

/** With the first match winning, a variant that earlier ones cover never gets a node. */
function shadowWarnings(variants: readonly RuledVariant[]): readonly string[] {
  return variants.flatMap((later, index) => {
    const coverers = coverersOf(later, variants.slice(0, index));
    if (coverers.length === 0) return [];
    const { place, name } = later;
    const others = coverers.map((each) => `${quoted(each.name)} (${each.place})`).join(" and ");
    const takes = coverers.length === 1 ? "takes" : "together take";
    return [
      `${place}: variant ${quoted(name)} never gets a node, because ${others} ${takes} all that it matches; put it first or narrow the other`,
    ];
  });
}

/** The earlier variant that covers a later one, or those that do so together by their kernels. */
function coverersOf(later: RuledVariant, earlier: readonly RuledVariant[]): readonly RuledVariant[] {
  const single = earlier.find((each) => coversMatch(each.match, later.match));
  if (single !== undefined) return [single];
  const { kernel } = later.match;
  const near = earlier.filter((each) => coversMatch({ ...each.match, kernel: undefined }, later.match));
  const clauses = near.flatMap((each) => each.match.kernel?.clauses ?? []);
  if (kernel === undefined || near.length < 2) return [];
  return ruleCovers({ ...kernel, clauses }, kernel) ? near : [];
}

/** Ranges that overlap in part are seldom meant: a narrow rule before a wide one is, and says nothing here. */
function overlapWarnings(variants: readonly RuledVariant[]): readonly string[] {
  return variants.flatMap((later, index) => {
    const other = variants.slice(0, index).find((earlier) => overlapsInPart(earlier.match, later.match));
    const [ours, theirs] = [later.match.kernel?.text, other?.match.kernel?.text];
    if (other === undefined) return [];
    return [
      `${later.place}.match.kernel: ${quoted(ours)} overlaps ${quoted(theirs)} of variant ${quoted(other.name)} (${other.place}), which gets the kernels of both; end one range where the other begins`,
    ];
  });
}

function overlapsInPart(earlier: VariantMatch, later: VariantMatch): boolean {
  if (earlier.kernel === undefined || later.kernel === undefined) return false;
  const isCovered = ruleCovers(earlier.kernel, later.kernel) || ruleCovers(later.kernel, earlier.kernel);
  if (isCovered || !rulesOverlap(earlier.kernel, later.kernel)) return false;
  const [one, other] = [
    { ...earlier, kernel: undefined },
    { ...later, kernel: undefined },
  ];
  return coversMatch(one, other) && coversMatch(other, one);
}

/** What stands behind a variant that takes every node is never used. */
function everythingWarnings({ variants, fallback }: VariantSet): readonly string[] {
  const taker = variants.find(({ match }) => matchesEverything(match));
  if (taker === undefined || fallback.kind !== "variant") return [];
  const { place, name } = taker;
  return [
    `${place}.match: variant ${quoted(name)} matches every node, so spec.default never gets one; narrow it, or leave spec.default out`,
  ];
}

function matchesEverything({ kernel, os, osImage, arch, runtime, labels }: VariantMatch): boolean {
  const isAnyKernel = kernel === undefined || kernel.clauses.some((clause) => clause.every(isEveryKernel));
  const isAnyOs = os === undefined || (os.id === undefined && os.version === undefined);
  const isAnyImage = osImage === undefined || EVERY_TEXT.includes(osImage.pattern);
  const areAnyLabels = labels === undefined || labelSelectorText(labels) === "";
  return isAnyKernel && isAnyOs && isAnyImage && areAnyLabels && arch === undefined && runtime === undefined;
}

function isEveryKernel(term: NonNullable<VariantMatch["kernel"]>["clauses"][number][number]): boolean {
  if (term.kind === "prefix") return term.start === "";
  return term.kind === "regexp" && EVERY_TEXT.includes(term.regexp.pattern);
}
