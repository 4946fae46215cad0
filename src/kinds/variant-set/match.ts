// Whether a variant suits a node: yes, no, or nobody can tell, since a fact that a rule needs could not be read. One part that
// says no decides; a fact that is missing is never taken for a no.
import { type Fact, isUnknown } from "../../core/decision/fact.ts";
import { type KernelRule, matchKernel } from "../../core/kernel/kernel-rule.ts";
import { isWithin } from "../../core/kernel/part-interval.ts";
import { explainLabels } from "../../core/labels/label-selector.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { OsRelease } from "../../core/node/os-release.ts";
import { matchesGoRegexp } from "../../core/values/go-regexp.ts";
import { shown, shownPattern } from "../../core/values/shown.ts";
import type { VariantMatch } from "./api/spec.ts";

export type Suits = { readonly suits: "yes" | "no" | "unknown"; readonly because: string };

/** Says whether every part of the match holds for the node, and why. */
export function matchVariant(match: VariantMatch, node: NodeFacts): Suits {
  const parts = [
    match.kernel && kernelPart(match.kernel, node),
    match.os?.id === undefined ? undefined : osIdPart(match.os.id, node.os),
    match.os?.version && osVersionPart(match.os, node.os),
    match.osImage && osImagePart(match.osImage, node.os),
    match.arch === undefined ? undefined : wordPart("architecture", match.arch, node.architecture),
    match.runtime === undefined ? undefined : wordPart("runtime", match.runtime, runtimeName(node)),
    match.labels && labelPart(match.labels, node),
  ].filter((part) => part !== undefined);
  const decisive = parts.find(({ suits }) => suits === "no") ?? parts.find(({ suits }) => suits === "unknown");
  return decisive ?? yes(parts.map(({ because }) => because).join(" and "));
}

function kernelPart(rule: KernelRule, { kernel }: NodeFacts): Suits {
  const { matched, because } = matchKernel(rule, kernel);
  if (matched) return yes(because);
  // Texts can be compared also where the numbers of a release cannot be read.
  const needsNumbers = rule.clauses.some((clause) => clause.some((term) => term.kind === "numbers"));
  const isReadable = !isUnknown(kernel) || (kernel.raw !== "" && !needsNumbers);
  return isReadable ? no(because) : unknown(because);
}

function osIdPart(id: string, os: Fact<OsRelease>): Suits {
  if (isUnknown(os)) return unknown(os.unknown);
  return os.id === id ? yes(`the OS is ${shown(id)}`) : no(`the OS is ${shown(os.id)}, not ${shown(id)}`);
}

function osVersionPart({ version: rule }: NonNullable<VariantMatch["os"]>, os: Fact<OsRelease>): Suits | undefined {
  if (rule === undefined) return undefined;
  if (isUnknown(os)) return unknown(os.unknown);
  const { version } = os;
  if (isUnknown(version)) return unknown(version.unknown);
  const isMet = rule.intervals.some((interval) => isWithin(interval, version.parts));
  const claim = `OS version ${shown(version.text)}`;
  return isMet ? yes(`${claim} matches ${shown(rule.text)}`) : no(`${claim} is not ${shown(rule.text)}`);
}

function osImagePart(regexp: NonNullable<VariantMatch["osImage"]>, os: Fact<OsRelease>): Suits {
  // The text itself is enough: a name that nobody knows can still be searched.
  if (os.raw === "") return unknown("the node reports no OS image");
  const pattern = shownPattern(regexp.pattern);
  return matchesGoRegexp(regexp, os.raw)
    ? yes(`OS image ${shown(os.raw)} matches ${pattern}`)
    : no(`OS image ${shown(os.raw)} does not match ${pattern}`);
}

function wordPart(what: string, wanted: string, fact: Fact<string>): Suits {
  if (isUnknown(fact)) return unknown(fact.unknown);
  return fact === wanted
    ? yes(`the ${what} is ${shown(wanted)}`)
    : no(`the ${what} is ${shown(fact)}, not ${shown(wanted)}`);
}

function labelPart(selector: NonNullable<VariantMatch["labels"]>, { labels }: NodeFacts): Suits {
  const { matched, because } = explainLabels("labels", selector, labels);
  return matched ? yes(because) : no(because);
}

function runtimeName({ runtime }: NodeFacts): Fact<string> {
  return isUnknown(runtime) ? runtime : runtime.name;
}

const yes = (because: string): Suits => ({ suits: "yes", because });
const no = (because: string): Suits => ({ suits: "no", because });
const unknown = (because: string): Suits => ({ suits: "unknown", because });
