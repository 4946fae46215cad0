// The one reader of JSON text: as Go reads it, and without losing a digit of an int64. The engine's
// parser reads nearly every text; ours reads those that the engine would spoil, and says where a
// broken text breaks. `core/` and `kube/` put their own doors before it.
import type { Json } from "./json.ts";
import { type Scanned, scanJson } from "./json-scanner.ts";

/**
 * Numbers that the engine's parser would spoil without a word: the shortest whole number that a
 * double may not hold exactly has sixteen digits, and the shortest exponent that makes one infinite
 * has three. What stands before a number keeps digests out.
 */
const delicateNumber = /(?:^|[:,[\s-])[0-9](?:[0-9]{15}|[0-9.]*[eE]\+?[0-9]{3})/;
/** A part of a surrogate pair, of which Go reads each one without its partner as U+FFFD. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
/** The end of a key whose last character is a backslash. */
const backslashEndsKey = /\\(?:\\|u005[cC])"[ \t\n\r]*:/;

/** Reads JSON text, however deep; broken text is an answer with its position. */
export function readJson(text: string): Scanned {
  const plain = isDelicate(text) ? undefined : engineParse(text);
  return plain === undefined ? scanJson(text.toWellFormed()) : { ok: true, value: plain };
}

/**
 * Whether the engine's parser keeps the keys of a text apart. That of Node 24 and 26 takes later keys
 * for one that ends in a backslash (nodejs/node#63785). Most texts hold no backslash at all, and
 * finding that out costs next to nothing.
 */
export function isSafeForEngine(text: string): boolean {
  if (!text.includes("\\")) return true;
  return !(text.includes("\\u") || text.includes('\\\\"')) || !backslashEndsKey.test(text);
}

/** Whether the engine's parser might read a text otherwise than Go does. */
function isDelicate(text: string): boolean {
  if (delicateNumber.test(text) || !text.isWellFormed() || !isSafeForEngine(text)) return true;
  return text.includes("\\u") && surrogateEscape.test(text);
}

/** Many times faster than our own scanner; undefined when the text is broken. */
function engineParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
