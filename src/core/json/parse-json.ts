// JSON text from outside, read as Go reads it and without losing a digit: whole numbers beyond 2^53 become bigint.
// Broken text is an answer with its position, not an exception.
import { readJson } from "../../json/read-json.ts";
import type { Parsed } from "../decision/problem.ts";
import { quoted } from "../values/shown.ts";
import { JSON_DEPTH_MAX } from "./canonical-json.ts";
import type { Json } from "./json.ts";

const SHOWN_CHARS_MAX = 20;

/** Reads JSON text. Integers that a number cannot hold but an int64 can are bigint; larger ones are rounded, as in Kubernetes. */
export function parseJson(text: string, path = "text"): Parsed<Json> {
  if (isTooDeep(text)) return refused(path, `nests deeper than ${JSON_DEPTH_MAX} levels; flatten it`);
  const read = readJson(text);
  if (read.ok) return read;
  const found = read.at === text.length ? "the end" : quoted(text.slice(read.at, read.at + SHOWN_CHARS_MAX));
  return refused(path, `is no JSON: has ${found} at ${positionText(text, read.at)} where ${read.expected} is needed`);
}

/** Counts brackets only in texts long enough to hold that many. */
function isTooDeep(text: string): boolean {
  if (text.length <= JSON_DEPTH_MAX) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) isInString = !isInString;
    else if (isInString && unit === 0x5c) at++;
    else if (!isInString && (unit === 0x5b || unit === 0x7b)) depth++;
    else if (!isInString && (unit === 0x5d || unit === 0x7d)) depth--;
    if (depth > JSON_DEPTH_MAX) return true;
  }
  return false;
}

function positionText(text: string, at: number): string {
  const before = text.slice(0, at);
  const lines = before.split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function refused(path: string, message: string): Parsed<never> {
  return { ok: false, problems: [{ path, message }] };
}
