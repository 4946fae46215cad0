// JSON text exactly as Go writes it: keys in the order of their bytes, no blanks, HTML characters escaped.
// Equal values have equal texts, so texts can be compared and hashed; revisions of other controllers hash the same.

import type { Json, JsonList, JsonObject } from "./json.ts";
import { sortedByUtf8 } from "./utf8-order.ts";

/** How deep lists and objects may nest: the API server's own limit. */
export const JSON_DEPTH_MAX = 10_000;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Characters that do not stand for themselves inside quotes: controls, surrogates, and a few more. */
const special = /[^\u0020-\ud7ff\ue000-\uffff]|["\\<>&\u2028\u2029]/;
const escapedForHtml = /[<>&\u2028\u2029]/g;

/** A list or object that is being written; kept on a list of our own, because nesting can exceed the stack. */
type Unfinished = {
  /** As they stand in the text; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Json[];
  next: number;
  text: string;
};

/** Writes a value; throws only for what JSON cannot hold (NaN, infinities) and beyond the depth limit. */
export function canonicalJson(value: Json): string {
  const open: Unfinished[] = [];
  /** The text of a scalar; lists and objects are opened instead. */
  const begin = (part: Json): string | undefined => {
    if (typeof part !== "object" || part === null) return scalarText(part);
    if (open.length === JSON_DEPTH_MAX) throw new RangeError(`a value nests deeper than ${JSON_DEPTH_MAX} levels`);
    open.push(unfinishedOf(part));
    return undefined;
  };
  let text = begin(value);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (text !== undefined) top.text += text;
    if (top.next === top.values.length) {
      text = top.text + (top.keys === undefined ? "]" : "}");
      open.pop();
    } else {
      if (top.next > 0) top.text += ",";
      if (top.keys !== undefined) top.text += `${top.keys[top.next]}:`;
      text = begin(top.values[top.next] ?? null);
      top.next++;
    }
  }
  return text ?? "";
}

function unfinishedOf(value: JsonList | JsonObject): Unfinished {
  if (isList(value)) return { keys: undefined, values: value, next: 0, text: "[" };
  return { ...sortedMembers(value), next: 0, text: "{" };
}

function sortedMembers(value: JsonObject): Pick<Unfinished, "keys" | "values"> {
  const keys = Object.keys(value);
  for (const key of keys) if (special.test(key)) return specialMembers(value);
  // Without pairs of units the built-in order is that of the bytes. What the API server wrote stands in it already.
  if (!isSorted(keys)) keys.sort();
  return { keys: keys.map((key) => `"${key}"`), values: keys.map((key) => value[key] ?? null) };
}

function isSorted(keys: readonly string[]): boolean {
  let last = "";
  for (const key of keys) {
    if (key < last) return false;
    last = key;
  }
  return true;
}

/** Go cannot hold half a surrogate pair, so keys that differ only there are one key to it, and the last one wins. */
function specialMembers(value: JsonObject): Pick<Unfinished, "keys" | "values"> {
  const members = new Map(Object.keys(value).map((key) => [key.toWellFormed(), value[key] ?? null]));
  const keys = sortedByUtf8([...members.keys()]);
  return { keys: keys.map(stringText), values: keys.map((key) => members.get(key) ?? null) };
}

/** The text of what is no list and no object. */
export function scalarText(value: string | number | bigint | boolean | null): string {
  switch (typeof value) {
    case "string":
      return stringText(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError(`JSON has no text for the number ${value}`);
      // Adding nothing would keep -0, which Go reads as the integer 0.
      return value === 0 ? "0" : `${value}`;
    case "bigint":
      // Kubernetes reads whole numbers beyond int64 as floating point.
      return value < INT64_MIN || value > INT64_MAX ? `${Number(value)}` : `${value}`;
    default:
      return `${value}`;
  }
}

function stringText(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  return JSON.stringify(text.toWellFormed()).replace(escapedForHtml, unicodeEscape);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isList(value: JsonList | JsonObject): value is JsonList {
  return Array.isArray(value);
}
