// The words of a CEL expression. What this evaluator does not know (bytes, unsigned numbers, triple quotes) is no word.
import type { Json } from "../../../src/core/json/json.ts";

export type Token =
  | { readonly is: "name" | "mark" | "end"; readonly text: string; readonly at: number }
  | { readonly is: "string" | "int" | "double"; readonly text: string; readonly at: number; readonly value: Json };

/** A fault of an expression: it cannot be installed. */
export class CelSyntaxError extends Error {}

const blank = /(?:\s|\/\/[^\n]*)*/y;
const word =
  /(?<double>\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+))|(?<int>0x[\da-fA-F]+|\d+)|(?<string>[rR]?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))|(?<name>[A-Za-z_]\w*)|(?<mark>&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}])/y;
const escapes = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|(.))/g;
const plainEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const escapedMarks = "\\'\"`?";

/** The words of an expression in order, with an end after the last; throws CelSyntaxError. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = endOfMatch(blank, source, 0);
  while (at < source.length) {
    word.lastIndex = at;
    const match = word.exec(source);
    if (match?.groups === undefined) throw new CelSyntaxError(`cannot read "${source.slice(at, at + 20)}"`);
    const [text] = match;
    const { double, int, string, name } = match.groups;
    if (string !== undefined) tokens.push({ is: "string", text, at, value: stringValue(text) });
    else if (double !== undefined) tokens.push({ is: "double", text, at, value: Number(text) });
    else if (int !== undefined) tokens.push({ is: "int", text, at, value: intValue(text) });
    else tokens.push({ is: name === undefined ? "mark" : "name", text, at });
    at = endOfMatch(blank, source, at + text.length);
  }
  return [...tokens, { is: "end", text: "the end", at }];
}

function endOfMatch(pattern: RegExp, source: string, from: number): number {
  pattern.lastIndex = from;
  pattern.exec(source);
  return pattern.lastIndex;
}

function intValue(text: string): Json {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

function stringValue(text: string): string {
  if (/^[rR]/.test(text)) return text.slice(2, -1);
  const quoted = text.slice(1, -1);
  return quoted.replaceAll(escapes, (all, hex2, hex4, hex8, octal, mark: string | undefined) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    if (mark === undefined) return String.fromCodePoint(Number.parseInt(hex2 ?? hex4 ?? hex8, 16));
    const plain = plainEscapes[mark] ?? (escapedMarks.includes(mark) ? mark : undefined);
    if (plain === undefined) throw new CelSyntaxError(`unknown escape "${all}"`);
    return plain;
  });
}
