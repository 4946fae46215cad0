// The text form of label selectors, as list queries and command lines write it: `app in (a,b),!canary,tier=web`.
// The grammar is the API server's, including its corners: `in` is a keyword only where an operator can stand.

import type { Parsed, Problem } from "../decision/problem.ts";
import { quoted } from "../values/shown.ts";
import { compileRequirement, type Requirement, type RequirementOp } from "./label-requirement.ts";
import { allOf, type LabelSelector } from "./label-selector.ts";

const nul = "\u0000";

type Token =
  | { readonly kind: "word"; readonly text: string; readonly at: number }
  | { readonly kind: "mark"; readonly text: string; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

type Step<T> = { readonly ok: true; readonly value: T; readonly next: number } | Fault;
type Fault = { readonly ok: false; readonly problems: readonly Problem[] };

const operators: ReadonlyMap<string, RequirementOp> = new Map<string, RequirementOp>([
  ["=", "Equal"],
  ["==", "DoubleEqual"],
  ["!=", "NotEqual"],
  ["in", "In"],
  ["notin", "NotIn"],
  [">", "Gt"],
  ["<", "Lt"],
]);

/** Parses the text form of a label selector; the empty text matches everything. */
export function parseLabelSelector(text: string, path = "selector"): Parsed<LabelSelector> {
  const tokens = tokensOf(text);
  if (tokens.length === 1) return { ok: true, value: allOf([]) };
  const requirements: Requirement[] = [];
  let next = 0;
  for (;;) {
    const step = readRequirement(tokens, next, path);
    if (!step.ok) return step;
    requirements.push(step.value);
    const separator = tokenAt(tokens, step.next);
    if (separator.kind === "end") return { ok: true, value: allOf(requirements) };
    if (!isMark(separator, ",")) return fault(path, separator, "a comma or the end");
    next = step.next + 1;
  }
}

function readRequirement(tokens: readonly Token[], start: number, path: string): Step<Requirement> {
  const isNegated = isMark(tokenAt(tokens, start), "!");
  const keyIndex = isNegated ? start + 1 : start;
  const key = tokenAt(tokens, keyIndex);
  if (key.kind !== "word") return fault(path, key, isNegated ? "a label key" : "a label key or '!'");
  const after = tokenAt(tokens, keyIndex + 1);
  if (isNegated) return compiled("DoesNotExist", key.text, [], keyIndex + 1, path);
  if (after.kind === "end" || isMark(after, ",")) return compiled("Exists", key.text, [], keyIndex + 1, path);
  const op = operators.get(after.text);
  if (op === undefined) return fault(path, after, "one of =, ==, !=, in, notin, > and <");
  const isSet = op === "In" || op === "NotIn";
  const values = isSet ? readValueSet(tokens, keyIndex + 2, path) : readOneValue(tokens, keyIndex + 2, path);
  return values.ok ? compiled(op, key.text, values.value, values.next, path) : values;
}

function readOneValue(tokens: readonly Token[], start: number, path: string): Step<readonly string[]> {
  const token = tokenAt(tokens, start);
  if (token.kind === "word") return { ok: true, value: [token.text], next: start + 1 };
  if (token.kind === "end" || isMark(token, ",")) return { ok: true, value: [""], next: start };
  return fault(path, token, "a value");
}

/** Reads `(a,b)`. Nothing between two commas, or between a comma and a bracket, is the empty value. */
function readValueSet(tokens: readonly Token[], start: number, path: string): Step<readonly string[]> {
  const open = tokenAt(tokens, start);
  if (!isMark(open, "(")) return fault(path, open, "an opening bracket");
  const values = new Set<string>();
  let next = start + 1;
  for (;;) {
    const token = tokenAt(tokens, next);
    if (token.kind === "word") next++;
    values.add(token.kind === "word" ? token.text : "");
    const separator = tokenAt(tokens, next);
    next++;
    if (isMark(separator, ")")) return { ok: true, value: [...values].toSorted(), next };
    if (!isMark(separator, ",")) return fault(path, separator, "a comma or a closing bracket");
  }
}

function compiled(
  op: RequirementOp,
  key: string,
  values: readonly string[],
  next: number,
  path: string,
): Step<Requirement> {
  const problems: Problem[] = [];
  const value = compileRequirement({ op, key, values }, path, problems);
  if (value !== undefined) return { ok: true, value, next };
  // Field paths mean nothing inside one line of text; the message names the key or value itself.
  return { ok: false, problems: problems.map(({ message }) => ({ path, message })) };
}

function fault(path: string, found: Token, expected: string): Fault {
  const what = found.kind === "end" ? "the end" : quoted(found.text);
  return {
    ok: false,
    problems: [{ path, message: `has ${what} at character ${found.at} where ${expected} is needed` }],
  };
}

function isMark(token: Token, text: string): boolean {
  return token.kind === "mark" && token.text === text;
}

function tokenAt(tokens: readonly Token[], index: number): Token {
  return tokens[index] ?? { kind: "end", text: "", at: tokens.at(-1)?.at ?? 0 };
}

/** Cuts the text into words and marks; the last token is always the end. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (isBlank(char)) at++;
    else if (char === nul) break;
    else {
      const token = isMarkChar(char) ? markAt(text, at) : wordAt(text, at);
      tokens.push(token);
      at += token.text.length;
      // The API server's scanner takes a NUL for its own end-of-text sign, but swallows one that directly ends a token.
      if (text.charAt(at) === nul) at++;
    }
  }
  tokens.push({ kind: "end", text: "", at });
  return tokens;
}

function markAt(text: string, at: number): Token {
  const double = text.slice(at, at + 2);
  return { kind: "mark", text: double === "==" || double === "!=" ? double : text.charAt(at), at };
}

function wordAt(text: string, at: number): Token {
  let end = at + 1;
  while (end < text.length && isWordChar(text.charAt(end))) end++;
  return { kind: "word", text: text.slice(at, end), at };
}

function isWordChar(char: string): boolean {
  return !isBlank(char) && !isMarkChar(char) && char !== nul;
}

function isBlank(char: string): boolean {
  return char === " " || char === "\t" || char === "\r" || char === "\n";
}

function isMarkChar(char: string): boolean {
  return "=!(),><".includes(char);
}
