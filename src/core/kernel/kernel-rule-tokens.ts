// The words of a kernel rule's text, each with its place: the first step of kernel-rule-grammar.ts.

export type RuleToken = {
  readonly kind: "word" | "comparison" | "or" | "quoted" | "regexp";
  /** What was written between the delimiters, if there are any. */
  readonly text: string;
  /** Where it starts, counted from 0. */
  readonly at: number;
};

/** What is wrong with a rule's text, where, and what to write instead. */
export type RuleFault = { readonly at: number; readonly message: string };

const COMPARISON = /^[<>=!]+/;
/** No kernel release holds < > = or !, so conditions need no space before a comparison. */
const WORD = /^(?:(?!\|\|)[^\s<>=!])+/;
const REGEXP = /^\/((?:\\.|[^\\/])*)\//s;

/** Splits the text into tokens, or says which delimiter is not closed. */
export function scanRule(text: string): readonly RuleToken[] | RuleFault {
  const tokens: RuleToken[] = [];
  let at = 0;
  for (;;) {
    at += text.slice(at).search(/\S|$/);
    const rest = text.slice(at);
    if (rest === "") return tokens;
    const scanned = scanToken(rest);
    if (typeof scanned === "string") return { at, message: scanned };
    tokens.push({ kind: scanned.kind, text: scanned.text, at });
    at += scanned.length;
  }
}

type ScannedToken = { readonly kind: RuleToken["kind"]; readonly text: string; readonly length: number };

/** Reads the token at the start of a text that is not empty, or says what is wrong with it. */
function scanToken(rest: string): ScannedToken | string {
  if (rest.startsWith("||")) return { kind: "or", text: "||", length: 2 };
  if (rest.startsWith("/")) {
    const regexp = REGEXP.exec(rest);
    if (regexp === null) return "the regular expression has no closing /; a slash inside it is written \\/";
    return { kind: "regexp", text: regexp[1] ?? "", length: regexp[0].length };
  }
  if (rest.startsWith('"')) {
    const end = rest.indexOf('"', 1);
    if (end === -1) return 'the quoted release has no closing "';
    return { kind: "quoted", text: rest.slice(1, end), length: end + 1 };
  }
  const comparison = COMPARISON.exec(rest)?.[0];
  if (comparison !== undefined) return { kind: "comparison", text: comparison, length: comparison.length };
  const word = WORD.exec(rest)?.[0] ?? rest;
  return { kind: "word", text: word, length: word.length };
}
