// What a comparison in a kernel rule means (`>=5.4`, `<6`): an interval of numbers with one open end.

import { quoted } from "../values/shown.ts";
import type { KernelTerm } from "./kernel-rule.ts";
import { faultOfNumber } from "./kernel-rule-word.ts";
import { type NumericParts, parseParts } from "./numeric-parts.ts";
import { afterLine, intersectIntervals, lineInterval, type PartInterval } from "./part-interval.ts";

/** Returns the condition that a comparison with a number stands for, or what is wrong with it. */
export function parseRuleComparison(comparison: string, number: string): KernelTerm | string {
  const parts = parseParts(number);
  if (parts === undefined) return comparisonFault(comparison, number);
  const interval = comparedInterval(comparison, parts);
  if (interval === undefined) return `there is no ${comparison}: use >=, >, <, <= or =`;
  const form = comparison === "=" ? "line" : "bound";
  if (intersectIntervals(interval, { low: [], high: undefined }) === undefined) return "no kernel is below 0";
  return { kind: "numbers", text: comparison + number, form, interval };
}

/** Bounds count as far as they are written: <=5.3 includes 5.3.18, and >5.3 begins at 5.4. */
function comparedInterval(comparison: string, parts: NumericParts): PartInterval | undefined {
  switch (comparison) {
    case ">=":
      return { low: parts, high: undefined };
    case ">":
      return { low: afterLine(parts), high: undefined };
    case "<":
      return { low: [], high: parts };
    case "<=":
      return { low: [], high: afterLine(parts) };
    case "=":
      return lineInterval(parts);
    default:
      return undefined;
  }
}

function comparisonFault(comparison: string, word: string): string {
  if (word === "") return `a number such as 5.4 must follow ${comparison}`;
  const numberFault = faultOfNumber(word);
  if (numberFault !== undefined) return `${quoted(word)}: ${numberFault}`;
  const number = /^[vV]?(\d+(?:\.\d+)*)/.exec(word)?.[1];
  const remedy = number === undefined ? "write a number such as 5.4" : `write ${comparison}${number}`;
  return `${quoted(word)} is no plain number, and only numbers have an order: ${remedy}`;
}
