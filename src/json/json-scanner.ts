// A strict JSON reader that keeps all digits of 64-bit integers and knows where a text breaks. Several times slower than
// the built-in one, so it reads only what that cannot: long numbers, odd escapes, broken text. It keeps its own stack.
import type { Json } from "./json.ts";

export type Scanned =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly at: number; readonly expected: string };

/** "-9223372036854775808": a longer number without leading zeros, which JSON has none of, is no int64. */
const INT64_CHARS_MAX = 20;
const INT64_BITS = 64;

type Cursor = { readonly text: string; at: number };

/** A list or object whose end is not yet reached; an object knows the key that its next value belongs to. */
type Unfinished =
  | { readonly kind: "list"; readonly value: Json[] }
  | { readonly kind: "object"; readonly value: { [key: string]: Json }; key: string };

/** What may come next: a value; a member or the end, directly behind an opening bracket; a comma or the end. */
type Place = "value" | "first" | "next";

const literals: readonly (readonly [text: string, value: Json])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** Reads a whole text as one JSON value, or says where it breaks and what would be right there. */
export function scanJson(text: string): Scanned {
  const cursor: Cursor = { text, at: 0 };
  const open: Unfinished[] = [];
  let place: Place = "value";
  for (;;) {
    skipBlanks(cursor);
    const top = open.at(-1);
    let complete: Json | undefined;
    if (top === undefined || place === "value") {
      const inner = openAt(cursor);
      if (inner !== undefined) {
        open.push(inner);
        place = "first";
        continue;
      }
      complete = readScalar(cursor);
      if (complete === undefined) return broken(cursor, "a value");
    } else if (take(cursor, top.kind === "list" ? "]" : "}")) {
      open.pop();
      complete = top.value;
    } else {
      if (place === "next" && !take(cursor, ","))
        return broken(cursor, top.kind === "list" ? "',' or ']'" : "',' or '}'");
      const fault = top.kind === "object" ? readKey(cursor, top) : undefined;
      if (fault !== undefined) return broken(cursor, fault);
      place = "value";
      continue;
    }
    const holder = open.at(-1);
    if (holder === undefined) return ended(cursor, complete);
    put(holder, complete);
    place = "next";
  }
}

function ended(cursor: Cursor, value: Json): Scanned {
  skipBlanks(cursor);
  return cursor.at === cursor.text.length ? { ok: true, value } : broken(cursor, "the end");
}

function broken(cursor: Cursor, expected: string): Scanned {
  return { ok: false, at: cursor.at, expected };
}

function openAt(cursor: Cursor): Unfinished | undefined {
  if (take(cursor, "[")) return { kind: "list", value: [] };
  if (take(cursor, "{")) return { kind: "object", value: {}, key: "" };
  return undefined;
}

function put(holder: Unfinished, value: Json): void {
  if (holder.kind === "list") holder.value.push(value);
  else if (holder.key !== "__proto__") holder.value[holder.key] = value;
  // An assignment would call the setter that every object inherits under this name.
  else Object.defineProperty(holder.value, holder.key, { value, writable: true, enumerable: true, configurable: true });
}

/** Reads `"key":` into the object, or says what is missing. */
function readKey(cursor: Cursor, holder: { key: string }): string | undefined {
  skipBlanks(cursor);
  if (cursor.text.charAt(cursor.at) !== '"') return "a key in double quotes";
  const key = readString(cursor);
  if (key === undefined) return "a legal character of a text";
  skipBlanks(cursor);
  if (!take(cursor, ":")) return "':'";
  holder.key = key;
  return undefined;
}

function readScalar(cursor: Cursor): Json | undefined {
  const char = cursor.text.charAt(cursor.at);
  if (char === '"') return readString(cursor);
  if (char === "-" || isDigit(cursor.text.charCodeAt(cursor.at))) return readNumber(cursor);
  const literal = literals.find(([text]) => cursor.text.startsWith(text, cursor.at));
  if (literal === undefined) return undefined;
  cursor.at += literal[0].length;
  return literal[1];
}

function readNumber(cursor: Cursor): number | bigint | undefined {
  const start = cursor.at;
  take(cursor, "-");
  if (!take(cursor, "0") && !skipDigits(cursor)) return undefined;
  const end = cursor.at;
  if (take(cursor, ".") && !skipDigits(cursor)) return undefined;
  if (take(cursor, "e") || take(cursor, "E")) {
    if (!take(cursor, "-")) take(cursor, "+");
    if (!skipDigits(cursor)) return undefined;
  }
  const text = cursor.text.slice(start, cursor.at);
  const value = cursor.at === end ? wholeNumber(text) : Number(text);
  // What exceeds floating point is no number to Kubernetes, and so to us.
  if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return value;
  cursor.at = start;
  return undefined;
}

/** Every digit of an int64. Larger numbers are floating point to Kubernetes, and so to us. */
function wholeNumber(text: string): number | bigint {
  const rounded = Number(text);
  if (rounded === 0) return 0;
  // The length is looked at before BigInt() sees the text: its cost grows faster than the number of digits.
  if (Number.isSafeInteger(rounded) || text.length > INT64_CHARS_MAX) return rounded;
  const exact = BigInt(text);
  return BigInt.asIntN(INT64_BITS, exact) === exact ? exact : rounded;
}

/** Reads a text in quotes; undefined with the cursor at the character that must not stand there. */
function readString(cursor: Cursor): string | undefined {
  const start = cursor.at;
  let hasEscapes = false;
  cursor.at++;
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at);
    // NaN at the end of the text fails this comparison too.
    if (!(unit >= 0x20)) return undefined;
    if (unit === 0x22) break;
    if (unit === 0x5c) {
      hasEscapes = true;
      if (!skipEscape(cursor)) return undefined;
    } else cursor.at++;
  }
  cursor.at++;
  const written = cursor.text.slice(start, cursor.at);
  // Half a character, which only an escape can write here, is U+FFFD as in Go.
  return hasEscapes ? String(JSON.parse(written)).toWellFormed() : written.slice(1, -1);
}

function skipEscape(cursor: Cursor): boolean {
  const char = cursor.text.charAt(cursor.at + 1);
  if (char === "u") {
    if (!/^[0-9a-fA-F]{4}$/.test(cursor.text.slice(cursor.at + 2, cursor.at + 6))) return false;
    cursor.at += 6;
    return true;
  }
  if (char === "" || !'"\\/bfnrt'.includes(char)) return false;
  cursor.at += 2;
  return true;
}

function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    cursor.at++;
  }
}

function skipDigits(cursor: Cursor): boolean {
  const start = cursor.at;
  while (isDigit(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  return cursor.at > start;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function take(cursor: Cursor, char: string): boolean {
  if (cursor.text.charAt(cursor.at) !== char) return false;
  cursor.at++;
  return true;
}
