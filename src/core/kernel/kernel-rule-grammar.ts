// The text form of kernel rules, as users write it in a variant's `kernel` field or as a map key; docs/reference/kernel-rules.md
// is its manual. Alternatives stand between ||, conditions that must all hold stand side by side.

import type { Parsed } from "../decision/problem.ts";
import { compileGoRegexp } from "../values/go-regexp.ts";
import { quoted } from "../values/shown.ts";
import { parseKernelRelease } from "./kernel-release.ts";
import { exactTerm, holds, type KernelClause, type KernelRule, type KernelTerm, regexpTerm } from "./kernel-rule.ts";
import { parseRuleComparison } from "./kernel-rule-comparison.ts";
import { type RuleFault, type RuleToken, scanRule } from "./kernel-rule-tokens.ts";
import { parseRange, parseRuleWord } from "./kernel-rule-word.ts";
import { intersectIntervals, type PartInterval } from "./part-interval.ts";

export const RULE_LENGTH_MAX = 2048;
export const ALTERNATIVES_MAX = 32;
export const CONDITIONS_MAX = 8;

/** Parses a rule; a fault names the text, the position and what to write instead. Never throws. */
export function parseKernelRule(text: string, place = "kernel"): Parsed<KernelRule> {
  const refuse = (message: string): Parsed<KernelRule> => ({ ok: false, problems: [{ path: place, message }] });
  if (text.length > RULE_LENGTH_MAX) {
    return refuse(`kernel rule ${quoted(text)} has ${text.length} characters; at most ${RULE_LENGTH_MAX} are allowed`);
  }
  if (text.trim() === "default") return { ok: true, value: { place, text, clauses: [] } };
  const tokens = scanRule(text);
  const clauses = isFault(tokens) ? tokens : parseAlternatives(tokens, text.length);
  if (isFault(clauses)) return refuse(`kernel rule ${quoted(text)}, character ${clauses.at + 1}: ${clauses.message}`);
  return { ok: true, value: { place, text, clauses } };
}

function isFault(value: object): value is RuleFault {
  return "message" in value;
}

function parseAlternatives(tokens: readonly RuleToken[], end: number): readonly KernelClause[] | RuleFault {
  const clauses: KernelClause[] = [];
  let start = 0;
  while (start <= tokens.length) {
    const or = tokens.findIndex((token, index) => index >= start && token.kind === "or");
    const stop = or === -1 ? tokens.length : or;
    const clause = parseClause(tokens.slice(start, stop), tokens[start]?.at ?? end);
    if (isFault(clause)) return clause;
    clauses.push(clause);
    if (clauses.length > ALTERNATIVES_MAX) {
      return { at: tokens[start]?.at ?? end, message: `more than ${ALTERNATIVES_MAX} alternatives; split the rule` };
    }
    start = stop + 1;
  }
  return clauses;
}

function parseClause(tokens: readonly RuleToken[], at: number): KernelClause | RuleFault {
  if (tokens.length === 0) return { at, message: "a condition is missing; write one such as 5.x or >=5.4" };
  const terms: KernelTerm[] = [];
  let next = 0;
  while (next < tokens.length) {
    const parsed = parseTerm(tokens, next);
    if (isFault(parsed)) return parsed;
    if (terms.length === CONDITIONS_MAX) {
      return { at: tokens[next]?.at ?? at, message: `more than ${CONDITIONS_MAX} conditions side by side; use ||` };
    }
    terms.push(parsed.term);
    next = parsed.next;
  }
  const contradiction = contradictionOf(terms);
  return contradiction === undefined ? terms : { at, message: contradiction };
}

type ParsedTerm = { readonly term: KernelTerm; readonly next: number };

/** Reads the condition that starts at a token; it may take up to three of them (`4.18 - 5.3`). */
function parseTerm(tokens: readonly RuleToken[], index: number): ParsedTerm | RuleFault {
  const [token, second, third] = tokens.slice(index, index + 3);
  if (token === undefined) return { at: 0, message: "a condition is missing" };
  const made = (term: KernelTerm | string, taken: number): ParsedTerm | RuleFault =>
    typeof term === "string" ? { at: token.at, message: term } : { term, next: index + taken };
  switch (token.kind) {
    case "or":
      return made("a condition is missing", 1);
    case "quoted":
      return made(parseQuoted(token.text), 1);
    case "regexp":
      return made(parseRegexp(token.text), 1);
    case "comparison":
      return made(parseRuleComparison(token.text, second?.kind === "word" ? second.text : ""), 2);
    case "word":
      if (second?.kind === "word" && second.text === "-") {
        const to = third?.kind === "word" ? third.text : "";
        return made(parseRange(`${token.text} - ${to}`, token.text, to), 3);
      }
      return made(parseRuleWord(token.text), 1);
  }
}

function parseQuoted(release: string): KernelTerm | string {
  if (release === "") return 'between " and " stands no release';
  return exactTerm(release);
}

function parseRegexp(pattern: string): KernelTerm | string {
  if (pattern === "") return "between / and / stands no regular expression; * matches every kernel";
  const compiled = compileGoRegexp(pattern);
  if (!compiled.ok) return compiled.problems.map((problem) => problem.message).join("; ");
  return regexpTerm(compiled.value);
}

/** Says that no kernel can meet all conditions at once, if their numbers or a whole release among them already tell. */
function contradictionOf(terms: readonly KernelTerm[]): string | undefined {
  const contradiction = `no kernel is ${terms.map((term) => term.text).join(" and ")} at once: put || between alternatives`;
  let shared: PartInterval | undefined = { low: [], high: undefined };
  for (const term of terms) {
    if (term.kind === "numbers") shared = shared && intersectIntervals(shared, term.interval);
  }
  if (shared === undefined) return contradiction;
  const exact = terms.find((term) => term.kind === "exact");
  if (exact === undefined) return undefined;
  const release = parseKernelRelease(exact.release);
  return terms.every((term) => holds(term, release)) ? undefined : contradiction;
}
