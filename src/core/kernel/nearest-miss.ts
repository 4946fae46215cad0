// Which of several kernel rules came closest to a release that none of them wants, and by what it missed: the line that
// tells a user which rule to widen.
import { type Fact, isUnknown } from "../decision/fact.ts";
import { matchesGoRegexp } from "../values/go-regexp.ts";
import { quoted, shown } from "../values/shown.ts";
import type { KernelRelease } from "./kernel-release.ts";
import { holds, type KernelClause, type KernelRule, type KernelTerm } from "./kernel-rule.ts";
import { type NumericParts, scanParts } from "./numeric-parts.ts";
import { type IntervalMiss, lineInterval, missOf } from "./part-interval.ts";

/** Rules beyond this many are not looked at: the answer is for people, who read the first ones. */
export const RULES_COMPARED_MAX = 200;

export type NearestMiss = {
  /** The place of the rule. */
  readonly rule: string;
  /** A clause that can follow "because": `6.12.0 is above <6 of mapping[1] by a major version`. */
  readonly because: string;
};

/** How a condition fails: the more parts agree and the smaller the gap in the next one, the nearer it is. */
type Miss = {
  readonly agreeing: number;
  readonly amount: number;
  /** Makes the whole clause from the place of the rule. */
  readonly because: (place: string) => string;
};

/** Farther than a rule that is off by major versions: nothing tells by how much. */
const NOTHING_AGREES = -1;

/** Returns the nearest of the rules and what it misses by; undefined if one matches or the release has no numbers. */
export function nearestMiss(rules: readonly KernelRule[], release: Fact<KernelRelease>): NearestMiss | undefined {
  if (isUnknown(release)) return undefined;
  let nearest: { readonly rule: string; readonly miss: Miss } | undefined;
  for (const rule of rules.slice(0, RULES_COMPARED_MAX)) {
    for (const clause of rule.clauses) {
      const miss = missOfClause(clause, release);
      if (miss === undefined) return undefined;
      if (nearest === undefined || isNearer(miss, nearest.miss)) nearest = { rule: rule.place, miss };
    }
  }
  return nearest && { rule: nearest.rule, because: nearest.miss.because(nearest.rule) };
}

function isNearer(a: Miss, b: Miss): boolean {
  return a.agreeing === b.agreeing ? a.amount < b.amount : a.agreeing > b.agreeing;
}

/** A clause is as far away as the worst of its conditions; undefined if they all hold. */
function missOfClause(clause: KernelClause, release: KernelRelease): Miss | undefined {
  let worst: Miss | undefined;
  for (const term of clause) {
    const miss = missOfTerm(term, release);
    if (miss === undefined) continue;
    if (worst === undefined || isNearer(worst, miss)) worst = miss;
  }
  return worst;
}

function missOfTerm(term: KernelTerm, release: KernelRelease): Miss | undefined {
  if (holds(term, release)) return undefined;
  switch (term.kind) {
    case "numbers":
      return numberMiss(term, missOf(term.interval, release.parts), release);
    case "exact":
      return textMiss(term, term.release, release);
    case "prefix":
      return textMiss(term, term.start, release);
    case "regexp":
      return regexpMiss(term, release);
  }
}

function numberMiss(term: KernelTerm, miss: IntervalMiss | undefined, release: KernelRelease): Miss | undefined {
  if (miss === undefined) return undefined;
  const gap = gapText(miss);
  const because = (place: string): string => `${shown(release.raw)} is ${miss.side} ${term.text} of ${place} by ${gap}`;
  return { agreeing: miss.part, amount: miss.amount, because };
}

function gapText({ part, amount }: IntervalMiss): string {
  const unit = ["major version", "minor version", "patch level"][part];
  if (unit === undefined) return `${amount} in part ${part + 1}`;
  return amount === 1 ? `a ${unit}` : `${amount} ${unit}s`;
}

/** A release, or the start of one, is compared by its numbers first; only if they agree does the text decide. */
function textMiss(term: KernelTerm, wanted: string, release: KernelRelease): Miss {
  const parts = leadingParts(wanted);
  const gap = parts.length === 0 ? undefined : missOf(lineInterval(parts), release.parts);
  const shared = sharedStart(wanted, release.raw);
  const because = (place: string): string =>
    `${shown(release.raw)} differs from ${term.text} of ${place} after ${quoted(release.raw.slice(0, shared))}`;
  const agreeing = parts.length === 0 ? NOTHING_AGREES : release.parts.length;
  return numberMiss(term, gap, release) ?? { agreeing, amount: 1 / (1 + shared), because };
}

function regexpMiss(term: Extract<KernelTerm, { kind: "regexp" }>, release: KernelRelease): Miss {
  // An expression that is anchored at its end often matches the release up to a suffix that its author did not foresee.
  const start = startsOf(release.raw).find((candidate) => matchesGoRegexp(term.regexp, candidate));
  if (start === undefined) {
    const because = (place: string): string => `${shown(release.raw)} does not match ${term.text} of ${place}`;
    return { agreeing: NOTHING_AGREES, amount: 1, because };
  }
  const rest = release.raw.slice(start.length);
  const because = (place: string): string =>
    `${term.text} of ${place} matches ${quoted(start)}, but not with ${quoted(rest)} behind it`;
  return { agreeing: leadingParts(start).length, amount: 1 / (1 + start.length), because };
}

/** The release up to each of its separators, longest first. */
function startsOf(raw: string): readonly string[] {
  return [...raw.matchAll(/[-._+~]/g)].map((separator) => raw.slice(0, separator.index)).reverse();
}

function leadingParts(text: string): NumericParts {
  const scanned = scanParts(text, 0);
  return "error" in scanned ? [] : scanned.parts;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
