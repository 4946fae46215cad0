// JSON text to values and back as Go would, without losing a digit: integers beyond 2^53 become bigint when read and are
// written as the plain numbers they were. Everything that a client sends or receives passes here.

import { isSafeForEngine, readJson } from "../../json/read-json.ts";

/** What Go escapes although JSON lets it stand. Outside of texts JSON has no such sign. */
const escapedByGo = /[<>&\u2028\u2029]/g;

/** What `JSON` can do in Node 24 beyond the compiler's library: write a number verbatim. */
type VerbatimJson = { rawJSON(text: string): unknown };

/** Reads JSON text, however deep; throws a SyntaxError, which quotes nothing of it, when it is none. */
export function parseJson(text: string): unknown {
  const read = readJson(text);
  if (read.ok) return read.value;
  throw new SyntaxError(`${read.expected} is needed at position ${read.at} of the JSON text`);
}

/** Reads JSON text as fast as the engine can, for callers that look for rounded numbers themselves. */
export function parseRounding(text: string): unknown {
  return isSafeForEngine(text) ? JSON.parse(text) : parseJson(text);
}

/** Writes JSON text; a bigint becomes a number with all its digits. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The plain writer is several times faster and refuses bigint with a TypeError; so it goes first.
    if (!(error instanceof TypeError)) throw error;
    const { rawJSON } = JSON as unknown as VerbatimJson;
    return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? rawJSON(`${part}`) : part));
  }
}

/**
 * Writes JSON text with the escapes that Go writes. Servers keep some parts of objects as the bytes that they came in, and
 * programs in Go compare those with what they would have written.
 */
export function printEscapedJson(value: unknown): string {
  return printJson(value).replace(escapedByGo, unicodeEscape);
}

function unicodeEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
