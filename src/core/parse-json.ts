// JSON text from outside, read as Go reads it and without losing a digit: whole numbers beyond 2^53 become bigint.
// Broken text is an answer with its position, not an exception.

import { JSON_DEPTH_MAX } from "./canonical-json.ts";
import type { Json } from "./json.ts";
import { scanJson } from "./json-scanner.ts";
import type { Parsed } from "./problem.ts";
import { quoted } from "./shown.ts";

/**
 * Numbers the engine's parser would spoil without a word: the shortest whole number that a double may not hold exactly has
 * sixteen digits, and the shortest exponent that makes one infinite has three. What stands before a number keeps digests out.
 */
const delicateNumber = /(?:^|[:,[\s-])[0-9](?:[0-9]{15}|[0-9.]*[eE]\+?[0-9]{3})/;
/** A part of a surrogate pair, of which Go reads each one without its partner as U+FFFD. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
/** A key that ends in a backslash: the engine's parser of Node 24 and 26 takes later keys for it (nodejs/node#63785). */
const backslashEndsKey = /\\(?:\\|u005[cC])"[ \t\n\r]*:/;
const SHOWN_CHARS_MAX = 20;

/** Reads JSON text. Integers that a number cannot hold but an int64 can are bigint; larger ones are rounded, as in Kubernetes. */
export function parseJson(text: string, path = "text"): Parsed<Json> {
  if (isTooDeep(text)) return refused(path, `nests deeper than ${JSON_DEPTH_MAX} levels; flatten it`);
  const plain = isDelicate(text) ? undefined : builtinParse(text);
  if (plain !== undefined) return { ok: true, value: plain };
  const scanned = scanJson(text.toWellFormed());
  if (scanned.ok) return scanned;
  const found = scanned.at === text.length ? "the end" : quoted(text.slice(scanned.at, scanned.at + SHOWN_CHARS_MAX));
  return refused(
    path,
    `is no JSON: has ${found} at ${positionText(text, scanned.at)} where ${scanned.expected} is needed`,
  );
}

/** Says whether the engine's parser might read the text otherwise than Go. Few texts hold an escape that matters at all. */
function isDelicate(text: string): boolean {
  if (delicateNumber.test(text) || !text.isWellFormed()) return true;
  const hasUnicodeEscape = text.includes("\\u");
  if (hasUnicodeEscape && surrogateEscape.test(text)) return true;
  return (hasUnicodeEscape || text.includes('\\\\"')) && backslashEndsKey.test(text);
}

/** The engine's own parser, many times faster than ours; undefined when the text is broken. */
function builtinParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
