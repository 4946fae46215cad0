// A rule on dotted numbers that are no kernel release, such as the version of an operating system: the numeric half of the
// grammar of kernel rules.

import type { Parsed } from "../../core/decision/problem.ts";
import type { KernelClause } from "../../core/kernel/kernel-rule.ts";
import { parseKernelRule } from "../../core/kernel/kernel-rule-grammar.ts";
import { intersectIntervals, type PartInterval } from "../../core/kernel/part-interval.ts";
import { quoted } from "../../core/values/shown.ts";
import { problem } from "./admission.ts";

export type NumberRule = {
  /** Where the rule stands, as a user would find it. */
  readonly place: string;
  readonly text: string;
  /** A number that lies in one of them meets the rule. */
  readonly intervals: readonly PartInterval[];
};

/** Parses a rule that speaks of numbers alone. */
export function parseNumberRule(text: string, place: string): Parsed<NumberRule> {
  const parsed = parseKernelRule(text, place);
  if (!parsed.ok) return parsed;
  const intervals = parsed.value.clauses.map(intervalOf);
  if (intervals.length > 0 && intervals.every((interval) => interval !== undefined))
    return { ok: true, value: { place, text, intervals } };
  const message = `rule ${quoted(text)} must speak of numbers: write 22.04, >=15.3 or 8-9, several with ||`;
  return { ok: false, problems: problem(place, message) };
}

function intervalOf(clause: KernelClause): PartInterval | undefined {
  let shared: PartInterval | undefined = { low: [], high: undefined };
  for (const term of clause) {
    if (term.kind !== "numbers" || shared === undefined) return undefined;
    shared = intersectIntervals(shared, term.interval);
  }
  return shared;
}
