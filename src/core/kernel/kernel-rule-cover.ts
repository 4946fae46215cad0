// Whether one kernel rule already wants every release that another wants: with the first match winning, a rule that an
// earlier one covers never gets a node, and its author should hear so.
import { isUnknown } from "../decision/fact.ts";
import { matchesGoRegexp } from "../values/go-regexp.ts";
import { parseKernelRelease } from "./kernel-release.ts";
import { isDefaultRule, type KernelClause, type KernelRule, type KernelTerm } from "./kernel-rule.ts";
import { areEnclosing, intersectIntervals, lineInterval, type PartInterval } from "./part-interval.ts";

export type Shadow = {
  /** The place of the rule that never gets a node. */
  readonly rule: string;
  /** The place of the earlier rule that takes them all. */
  readonly by: string;
};

/** Returns every rule that one earlier rule covers, in list order. */
export function findShadows(rules: readonly KernelRule[]): readonly Shadow[] {
  return rules.flatMap((later, index) => {
    const by = rules.slice(0, index).find((earlier) => ruleCovers(earlier, later));
    return by === undefined ? [] : [{ rule: later.place, by: by.place }];
  });
}

/**
 * True only if every release that `later` matches, `earlier` matches too (of those short enough to be read as a release).
 * It may say false of a cover that it cannot prove: two different regular expressions are never compared.
 */
export function ruleCovers(earlier: KernelRule, later: KernelRule): boolean {
  if (isDefaultRule(earlier) || isDefaultRule(later)) return false;
  return later.clauses.every((clause) => isCovered(clause, earlier.clauses));
}

/** True if some numbers meet both rules; false also where a rule asks for more than numbers. */
export function rulesOverlap(one: KernelRule, other: KernelRule): boolean {
  const [ours, theirs] = [one, other].map(({ clauses }) =>
    clauses.filter(isNumeric).flatMap((each) => numbersOf(each) ?? []),
  );
  return ours?.some((a) => theirs?.some((b) => intersectIntervals(a, b) !== undefined)) === true;
}

function isNumeric(clause: KernelClause): boolean {
  return clause.every(({ kind }) => kind === "numbers");
}

function isCovered(clause: KernelClause, by: readonly KernelClause[]): boolean {
  if (by.some((other) => covers(other, clause))) return true;
  // Alternatives that are numbers alone may cover together what none of them covers alone: <5 || >=5.
  const wanted = numbersOf(clause);
  const intervals = by.filter(isNumeric).flatMap((other) => numbersOf(other) ?? []);
  return wanted !== undefined && areEnclosing(intervals, wanted);
}

function covers(outer: KernelClause, inner: KernelClause): boolean {
  return outer.every((term) =>
    term.kind === "numbers" ? coversNumbers(term.interval, inner) : isImplied(term, inner),
  );
}

function coversNumbers(interval: PartInterval, inner: KernelClause): boolean {
  const wanted = numbersOf(inner);
  return wanted !== undefined && areEnclosing([interval], wanted);
}

/** The numbers that a clause can match; undefined if it can also match a release without numbers. */
function numbersOf(clause: KernelClause): PartInterval | undefined {
  let numbers: PartInterval | undefined;
  for (const term of clause) {
    const own = numbersOfTerm(term);
    if (own !== undefined) numbers = numbers === undefined ? own : (intersectIntervals(numbers, own) ?? numbers);
  }
  return numbers;
}

function numbersOfTerm(term: KernelTerm): PartInterval | undefined {
  switch (term.kind) {
    case "numbers":
      return term.interval;
    case "exact":
      return numbersOfRelease(term.release);
    case "prefix":
      return numbersOfStart(term.start);
    case "regexp":
      return undefined;
  }
}

/** The numbers of every release that starts so, if the start has settled them: what follows `5.4.0-` adds none. */
function numbersOfStart(start: string): PartInterval | undefined {
  const isSettled = /^[\d.]*\d[^\d.]/.test(start);
  return isSettled ? numbersOfRelease(start) : undefined;
}

function numbersOfRelease(release: string): PartInterval | undefined {
  const parsed = parseKernelRelease(release);
  return isUnknown(parsed) ? undefined : lineInterval(parsed.parts);
}

/** True if some condition of the clause can hold only where the text condition holds too. */
function isImplied(term: KernelTerm, clause: KernelClause): boolean {
  switch (term.kind) {
    case "numbers":
      return false;
    case "exact":
      return clause.some((other) => other.kind === "exact" && other.release === term.release);
    case "prefix":
      return term.start === "" || clause.some((other) => startOf(other)?.startsWith(term.start) === true);
    case "regexp":
      return clause.some(
        (other) =>
          (other.kind === "regexp" && other.regexp.pattern === term.regexp.pattern) ||
          (other.kind === "exact" && matchesGoRegexp(term.regexp, other.release)),
      );
  }
}

function startOf(term: KernelTerm): string | undefined {
  if (term.kind === "exact") return term.release;
  return term.kind === "prefix" ? term.start : undefined;
}
