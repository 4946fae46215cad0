// Reads the body of a request as the real server does: a limit on bytes and on nesting, all digits of 64-bit integers, faults
// in the words of Go's decoder, and fields that stand twice.

import { JSON_DEPTH_MAX } from "../../../src/core/json/canonical-json.ts";
import { isJsonList, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import { scanJson } from "../../../src/json/json-scanner.ts";
import { requestTooLarge } from "../faults/status.ts";

export const BODY_BYTES_MAX = 3 * 1024 * 1024;
const number = /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;

const decoder = new TextDecoder();
const BACKSLASH = 0x5c;
/** Machines put nothing between a key and its colon; a text with one of these may do so, and is not counted but searched. */
const looseColons: readonly string[] = [" :", "\n:", "\t:", "\r:"];

export type ReadJson =
  /** `fields` counts those of all objects in the value. */
  | { readonly ok: true; readonly value: Json; readonly fields: number }
  | { readonly ok: false; readonly because: string };

/** The text of a body; refuses one that is longer than the server reads. */
export function bodyText(body: string | Uint8Array | undefined): string {
  if (body === undefined) return "";
  if (isTooLong(body)) throw requestTooLarge(`limit is ${BODY_BYTES_MAX}`);
  return typeof body === "string" ? body : decoder.decode(body);
}

function isTooLong(body: string | Uint8Array): boolean {
  if (typeof body !== "string") return body.byteLength > BODY_BYTES_MAX;
  // No character has more than three bytes, so most bodies need no count.
  return body.length > BODY_BYTES_MAX / 3 && Buffer.byteLength(body) > BODY_BYTES_MAX;
}

/** The value that a text holds, or Go's words for why it holds none. */
export function readJson(text: string): ReadJson {
  const plain = mayBeTooDeep(text) ? undefined : plainJson(text);
  const counted = plain === undefined ? undefined : countFields(plain);
  if (plain !== undefined && counted?.isExact) return { ok: true, value: plain, fields: counted.fields };
  const parsed = parseJson(text);
  if (parsed.ok) return { ...parsed, fields: countFields(parsed.value).fields };
  const scanned = scanJson(text);
  if (scanned.ok) return { ok: false, because: `invalid character '${deepest(text)}' exceeded max depth` };
  return { ok: false, because: goFault(text, scanned.at, scanned.expected) };
}

/** The engine's parser knows no limit. Every level costs two characters, and most long texts are just long. */
function mayBeTooDeep(text: string): boolean {
  if (text.length <= 2 * JSON_DEPTH_MAX) return false;
  let levels = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0 && levels <= JSON_DEPTH_MAX; at = text.indexOf(bracket, at + 1))
      levels += 1;
  return levels > JSON_DEPTH_MAX;
}

/** The engine's own parser; undefined when the text is broken. */
function plainJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Counted = { readonly fields: number; readonly isExact: boolean };

/**
 * How many fields a value has, and whether the engine has surely read its numbers as the text says them: not so an integer
 * beyond 2^53, or one that no float holds. Both are wanted of every body, so one walk finds both.
 */
function countFields(value: Json): Counted {
  const open: (JsonList | JsonObject)[] = [];
  let fields = 0;
  let isExact = true;
  const meet = (each: Json) => {
    if (typeof each === "object") {
      if (each !== null) open.push(each);
    } else if (typeof each === "number" && isSpoilt(each)) isExact = false;
  };
  meet(value);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isJsonList(next)) for (const item of next) meet(item);
    else
      for (const key in next) {
        fields += 1;
        meet(next[key] ?? null);
      }
  }
  return { fields, isExact };
}

function isSpoilt(number: number): boolean {
  return !Number.isSafeInteger(number) && (Number.isInteger(number) || !Number.isFinite(number));
}

function deepest(text: string): string {
  return text.includes("{") ? "{" : "[";
}

const goPlaces: Readonly<Record<string, string>> = {
  "a value": "looking for beginning of value",
  "a key in double quotes": "looking for beginning of object key string",
  "':'": "after object key",
  "',' or '}'": "after object key:value pair",
  "',' or ']'": "after array element",
  "the end": "after top-level value",
  "a legal character of a text": "in string literal",
};

function goFault(text: string, at: number, expected: string): string {
  if (at >= text.length) return "unexpected end of JSON input";
  number.lastIndex = at;
  const found = number.exec(text);
  // The scanner stops before a number only when no float can hold it.
  if (expected === "a value" && found !== null)
    return `json: cannot unmarshal number ${found[0]} into Go value of type float64`;
  return `invalid character ${goQuoted(text.charAt(at))} ${goPlaces[expected] ?? ""}`;
}

/** A character as Go quotes it in such messages. */
export function goQuoted(char: string): string {
  if (char === "'") return "'\\''";
  const code = char.codePointAt(0) ?? 0;
  const isPrintable = code >= 0x20 && (code < 0x7f || code > 0xa0);
  return isPrintable ? `'${char}'` : `'\\u${code.toString(16).padStart(4, "0")}'`;
}

/** What Go calls the type of a JSON value. */
export function goType(value: Json): string {
  if (value === null) return "null";
  if (isJsonList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}

/** The paths of fields that a text holds twice, given how many fields the value has that was read from it. */
export function duplicateFields(text: string, fields: number): readonly string[] {
  // Nearly all texts have no field twice, and counting fields is many times cheaper than a search for their names.
  return countKeys(text) === fields ? [] : searchDuplicates(text);
}

/** How many keys a text writes; -1 for one that only a search can tell. A text that begins with a colon counts too. */
function countKeys(text: string): number {
  if (looseColons.some((colon) => text.includes(colon))) return -1;
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) if (!isEscaped(text, at)) count += 1;
  return count;
}

/** True if an odd number of backslashes stands before a place: the quote there is a character of a text. */
function isEscaped(text: string, place: number): boolean {
  let before = place;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (place - before) % 2 === 1;
}

type Open = {
  readonly path: string;
  /** Undefined for a list. */
  readonly fields: Set<string> | undefined;
  key: string;
  index: number;
};

/** Walks text that is known to be JSON. */
function searchDuplicates(text: string): readonly string[] {
  const mark = /[{}[\],:]|"(?:[^"\\]|\\.)*"/g;
  const open: Open[] = [];
  const found = new Set<string>();
  for (let token = mark.exec(text); token !== null; token = mark.exec(text)) {
    const top = open.at(-1);
    const [char] = token;
    if (char === "{" || char === "[")
      open.push({ path: pathOf(top), fields: char === "{" ? new Set() : undefined, key: "", index: 0 });
    else if (char === "}" || char === "]") open.pop();
    else if (char === "," && top !== undefined) top.index += 1;
    else if (char.startsWith('"') && top?.fields !== undefined && isKey(text, mark.lastIndex)) {
      top.key = String(JSON.parse(char));
      if (top.fields.has(top.key)) found.add(pathOf(top));
      top.fields.add(top.key);
    }
  }
  return [...found];
}

function isKey(text: string, behind: number): boolean {
  return /^\s*:/.test(text.slice(behind, behind + 64));
}

function pathOf(place: Open | undefined): string {
  if (place === undefined) return "";
  if (place.fields === undefined) return `${place.path}[${place.index}]`;
  return place.path === "" ? place.key : `${place.path}.${place.key}`;
}
