// How foreign values appear inside our sentences: short, on one line and printable, so that a hostile one can neither flood
// a log nor forge a line of it. Every message that repeats what somebody else wrote goes through here.
//
// This folder holds small values with their own syntax, and how messages show them:
//   quantity.ts, quantity-text.ts: resource amounts: 500m, 1.5Gi
//   int-or-percent.ts, int64.ts: counts, percentages, 64-bit integers
//   image-reference.ts, image-template.ts: image names, and names with variables
//   go-regexp.ts, go-regexp-size.ts, go-regexp-group-names.ts: Go's regular expressions, bounded
//   counted.ts: "1 node has", "3 nodes have"
//   memoised.ts: remembers the answers of a parser, within a limit
import { isJsonObject, type Json } from "../json/json.ts";

const TEXT_LENGTH_MAX = 80;
const LONG_TEXT_LENGTH_MAX = 200;
const KEYS_MAX = 8;

const READS_WELL = /^[\w.+~:@/<>=*-]+$/;
/** Controls, invisible marks, line breaks of any kind, and halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Returns a text bare where it reads well, else quoted and cut. */
export function shown(text: string): string {
  const isBare = text.length <= TEXT_LENGTH_MAX && READS_WELL.test(text);
  return isBare ? text : quoted(text);
}

/** Returns a value for a sentence about its type: texts quoted and cut, everything else named by its type. */
export function quoted(value: unknown): string {
  if (typeof value === "string") return escaped(cut(value, TEXT_LENGTH_MAX));
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `the ${typeof value} ${cut(String(value), TEXT_LENGTH_MAX)}`;
}

/** Returns a value of a document as JSON has it; of an object only its first keys, and of a list only the length. */
export function shownValue(value: Json): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (!isJsonObject(value)) return cut(String(value), TEXT_LENGTH_MAX);
  const keys = Object.keys(value);
  const named = keys.slice(0, KEYS_MAX).map(shown);
  return `{${(keys.length > KEYS_MAX ? [...named, "…"] : named).join(", ")}}`;
}

/** Returns a regular expression between slashes: its backslashes stay single, since JSON's would make it another one. */
export function shownPattern(pattern: string): string {
  return `/${printable(pattern)}/`;
}

/** Returns the start of a longer text, such as somebody else's message, with a mark for each character that cannot be printed. */
export function printable(text: string): string {
  return cut(text, LONG_TEXT_LENGTH_MAX).replace(UNPRINTABLE, "\ufffd");
}

/** Returns the whole text as a JSON text that can be printed: different texts stay different. */
export function escaped(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, asEscapes);
}

/** Returns the start of a text, with a mark where something is missing. */
export function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}

/** A character beyond the first plane takes two escapes. */
function asEscapes(char: string): string {
  return Array.from({ length: char.length }, (_, at) => {
    return `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}
