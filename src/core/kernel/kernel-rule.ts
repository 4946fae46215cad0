// A kernel rule says which kernel releases it wants: by number, by text, or by regular expression. It is parsed once from
// what a user wrote (kernel-rule-grammar.ts); matching it against a node's release gives a verdict with its reason.
//
// This folder reads kernel releases and matches rules on them. Beside this file:
//   kernel-release.ts, kernel-suffix.ts             what a node reports, in parts
//   kernel-rule-grammar.ts, kernel-rule-tokens.ts   the text of a rule, read
//   kernel-rule-word.ts, kernel-rule-comparison.ts  what one condition of that text means
//   numeric-parts.ts, part-interval.ts              dotted numbers and ranges of them
//   kernel-rule-cover.ts, nearest-miss.ts           rules that never match, or nearly did
import { type Fact, isUnknown } from "../decision/fact.ts";
import type { Parsed } from "../decision/problem.ts";
import type { Verdict } from "../decision/verdict.ts";
import { compileGoRegexp, type GoRegexp, matchesGoRegexp } from "../values/go-regexp.ts";
import { shown, shownPattern } from "../values/shown.ts";
import type { KernelRelease } from "./kernel-release.ts";
import { missOf, type PartInterval } from "./part-interval.ts";

/** One condition; `text` is how its author wrote it. */
export type KernelTerm =
  /** The numeric parts lie in an interval: `5.x`, `>=5.4`, `4.18-5.3`. Holds for no release without numbers. */
  | {
      readonly kind: "numbers";
      readonly text: string;
      readonly form: "line" | "bound";
      readonly interval: PartInterval;
    }
  /** The whole release, letter by letter. */
  | { readonly kind: "exact"; readonly text: string; readonly release: string }
  /** The first letters of the release; none stand for any release. */
  | { readonly kind: "prefix"; readonly text: string; readonly start: string }
  /** Found anywhere in the release. */
  | { readonly kind: "regexp"; readonly text: string; readonly regexp: GoRegexp };

/** Conditions that must hold together. */
export type KernelClause = readonly KernelTerm[];

export type KernelRule = {
  /** Where the rule stands, as a user would find it. */
  readonly place: string;
  readonly text: string;
  /** One of them must hold. The rule `default` has none: it matches nothing by itself. */
  readonly clauses: readonly KernelClause[];
};

/** Returns the rule for exactly this release, as in the field `literal` of a mapping. */
export function exactKernelRule(release: string, place: string): Parsed<KernelRule> {
  if (release === "")
    return { ok: false, problems: [{ path: place, message: "must name a kernel release, not be empty" }] };
  return { ok: true, value: { place, text: release, clauses: [[exactTerm(release)]] } };
}

/** Returns the rule for a Go regular expression, as in the field `regexp` of a mapping. */
export function regexpKernelRule(pattern: string, place: string): Parsed<KernelRule> {
  if (pattern === "")
    return { ok: false, problems: [{ path: place, message: "must not be empty; .* matches every kernel" }] };
  const compiled = compileGoRegexp(pattern, place);
  if (!compiled.ok) return compiled;
  return { ok: true, value: { place, text: pattern, clauses: [[regexpTerm(compiled.value)]] } };
}

/** The condition that the release is this text. */
export function exactTerm(release: string): KernelTerm {
  return { kind: "exact", text: shown(release), release };
}

/** The condition that the expression is found in the release. */
export function regexpTerm(regexp: GoRegexp): KernelTerm {
  return { kind: "regexp", text: shownPattern(regexp.pattern), regexp };
}

/** True for the rule `default`, which stands for the nodes that no other rule matches. */
export function isDefaultRule(rule: KernelRule): boolean {
  return rule.clauses.length === 0;
}

/**
 * Says whether the rule wants the release, and why or why not. A release without readable numbers is matched by text rules
 * only; a node that reports no release is matched by none.
 */
export function matchKernel(rule: KernelRule, release: Fact<KernelRelease>): Verdict {
  const verdict = (matched: boolean, because: string): Verdict => ({ rule: rule.place, matched, because });
  if (isUnknown(release) && release.raw === "") return verdict(false, release.unknown);
  if (isDefaultRule(rule)) return verdict(false, "default applies only where no other rule matches");
  const objections: string[] = [];
  for (const clause of rule.clauses) {
    const objection = objectionOf(clause, release);
    if (objection === undefined) return verdict(true, `${shown(release.raw)} matches ${clauseText(clause)}`);
    objections.push(objection);
  }
  return verdict(false, `${shown(release.raw)} ${objections.join(" and ")}`);
}

/** Says whether the condition holds for the release. */
export function holds(term: KernelTerm, release: Fact<KernelRelease>): boolean {
  return objectionTo(term, release) === undefined;
}

/** The conditions of a clause as their author wrote them. */
function clauseText(clause: KernelClause): string {
  return clause.map((term) => term.text).join(" ");
}

function objectionOf(clause: KernelClause, release: Fact<KernelRelease>): string | undefined {
  for (const term of clause) {
    const objection = objectionTo(term, release);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** A clause to follow the release: "is not 5.x". */
function objectionTo(term: KernelTerm, release: Fact<KernelRelease>): string | undefined {
  switch (term.kind) {
    case "numbers":
      return numberObjection(term, release);
    case "exact":
      return release.raw === term.release ? undefined : `is not ${term.text}`;
    case "prefix":
      return release.raw.startsWith(term.start) ? undefined : `does not start with ${shown(term.start)}`;
    case "regexp":
      return matchesGoRegexp(term.regexp, release.raw) ? undefined : `does not match ${term.text}`;
  }
}

function numberObjection(
  term: Extract<KernelTerm, { kind: "numbers" }>,
  release: Fact<KernelRelease>,
): string | undefined {
  if (isUnknown(release)) return `has no numbers to compare with ${term.text}`;
  const miss = missOf(term.interval, release.parts);
  if (miss === undefined) return undefined;
  return term.form === "line" ? `is not ${term.text}` : `is ${miss.side} ${term.text}`;
}
