// A half-open interval of dotted numbers: from `low` up to, but not including, `high`. Every numeric kernel rule is one:
// `5.x` is [5, 6), `4.18-5.3` is [4.18, 5.4), `>=5.4` has no upper end.
import { compareParts, type NumericParts } from "./numeric-parts.ts";

export type PartInterval = {
  /** Included; empty stands for 0. */
  readonly low: NumericParts;
  /** Not included; undefined means that there is no upper end. */
  readonly high: NumericParts | undefined;
};

/** How far a number lies outside an interval. */
export type IntervalMiss = {
  readonly side: "below" | "above";
  /** The first part that is off: 0 for the major version. It is also how many parts agree. */
  readonly part: number;
  /** By how much that part is off; at least 1. */
  readonly amount: number;
};

/** All numbers that begin with these parts. */
export function lineInterval(parts: NumericParts): PartInterval {
  return { low: parts, high: afterLine(parts) };
}

/** The first number behind all that begin with these parts: 5.4 for 5.3. */
export function afterLine(parts: NumericParts): NumericParts {
  return [...parts.slice(0, -1), (parts.at(-1) ?? 0) + 1];
}

/** True if the number lies in the interval. */
export function isWithin(interval: PartInterval, parts: NumericParts): boolean {
  return compareParts(interval.low, parts) <= 0 && isBelowEnd(parts, interval.high);
}

/** The numbers that lie in both, or undefined if there are none. */
export function intersectIntervals(a: PartInterval, b: PartInterval): PartInterval | undefined {
  const low = compareParts(a.low, b.low) >= 0 ? a.low : b.low;
  const high = compareEnds(a.high, b.high) <= 0 ? a.high : b.high;
  return isBelowEnd(low, high) ? { low, high } : undefined;
}

/** True if the intervals together hold every number of `inner`. */
export function areEnclosing(outers: readonly PartInterval[], inner: PartInterval): boolean {
  let reached = inner.low;
  for (const outer of outers.toSorted((a, b) => compareParts(a.low, b.low))) {
    if (!isWithin(outer, reached)) continue;
    if (compareEnds(inner.high, outer.high) <= 0) return true;
    reached = outer.high ?? reached;
  }
  return false;
}

/** Says on which side and by how much a number misses the interval, or undefined if it lies in it. */
export function missOf(interval: PartInterval, parts: NumericParts): IntervalMiss | undefined {
  if (compareParts(parts, interval.low) < 0) return firstDifference("below", parts, interval.low);
  if (isBelowEnd(parts, interval.high)) return undefined;
  return firstDifference("above", parts, lastLine(interval.high ?? []));
}

function firstDifference(side: "below" | "above", parts: NumericParts, edge: NumericParts): IntervalMiss {
  const part = edge.findIndex((wanted, index) => wanted !== (parts[index] ?? 0));
  return { side, part, amount: Math.abs((parts[part] ?? 0) - (edge[part] ?? 0)) };
}

/** The last line below an end that is not included: 5.10 for 5.11, and 5 for 6.0. */
function lastLine(end: NumericParts): NumericParts {
  const written = end.slice(0, end.findLastIndex((part) => part > 0) + 1);
  return [...written.slice(0, -1), (written.at(-1) ?? 1) - 1];
}

function isBelowEnd(parts: NumericParts, end: NumericParts | undefined): boolean {
  return end === undefined || compareParts(parts, end) < 0;
}

function compareEnds(a: NumericParts | undefined, b: NumericParts | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  return compareParts(a, b);
}
