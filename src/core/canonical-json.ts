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

/** What is still to be written of one list or object; kept on a list of our own, because nesting can exceed the stack. */
type Unfinished = {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Json[];
  next: number;
};

/** Writes a value; throws only for what JSON cannot hold (NaN, infinities) and beyond the depth limit. */
export function canonicalJson(value: Json): string {
  const open: Unfinished[] = [];
  let text = "";
  let current = value;
  for (;;) {
    if (typeof current === "object" && current !== null) {
      if (open.length === JSON_DEPTH_MAX) throw new RangeError(`a value nests deeper than ${JSON_DEPTH_MAX} levels`);
      const inner = unfinishedOf(current);
      text += inner.keys === undefined ? "[" : "{";
      open.push(inner);
    } else {
      text += scalarText(current);
    }
    let top = open.at(-1);
    while (top !== undefined && top.next === top.values.length) {
      text += top.keys === undefined ? "]" : "}";
      open.pop();
      top = open.at(-1);
    }
    if (top === undefined) return text;
    if (top.next > 0) text += ",";
    if (top.keys !== undefined) text += `${stringText(top.keys[top.next] ?? "")}:`;
    current = top.values[top.next] ?? null;
    top.next++;
  }
}

function unfinishedOf(value: JsonList | JsonObject): Unfinished {
  if (isList(value)) return { keys: undefined, values: value, next: 0 };
  const members = wellFormedKeys(value);
  const keys = sortedByUtf8(Object.keys(members));
  return { keys, values: keys.map((key) => members[key] ?? null), next: 0 };
}

/** Go cannot hold half a surrogate pair, so keys that differ only there are one key to it, and the last one wins. */
function wellFormedKeys(value: JsonObject): JsonObject {
  const keys = Object.keys(value);
  if (keys.every((key) => key.isWellFormed())) return value;
  return Object.fromEntries(keys.map((key) => [key.toWellFormed(), value[key] ?? null]));
}

function scalarText(value: string | number | bigint | boolean | null): string {
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
