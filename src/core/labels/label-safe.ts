// Any text as a label value or a part of a name: itself where it is legal, else a readable remainder and a hash of the whole.
// Different texts never share a value, so that two kernels never share one DaemonSet.
//
// How: every altered value ends in a dash and a hash (or is one), and a legal text that happens to end so is altered as
// well. Kept and altered values therefore never meet, and two altered ones only if their hashes do (content-hash.ts).
import { CONTENT_HASH_CHARS, contentHash } from "../hash/content-hash.ts";
import { dnsSafe } from "../hash/names.ts";
import { safeAlphabet } from "../hash/safe-encode.ts";
import { dns1123LabelFault, LABEL_VALUE_BYTES_MAX, labelValueFault } from "./label-syntax.ts";
import { readableLabelValue } from "./safe-label-value.ts";

const READABLE_CHARS_MAX = 256;

/** Returns a legal label value of at most 63 characters; different texts give different values. */
export function labelSafe(text: string): string {
  const isKept = labelValueFault(text) === undefined && !endsInHash(text);
  return isKept ? text : withHash(readableLabelValue(startOf(text)), text, LABEL_VALUE_BYTES_MAX);
}

/** Returns a legal DNS-1123 label of at most `lengthMax` characters; different texts give different ones. */
export function nameSafe(text: string, lengthMax: number): string {
  if (lengthMax < CONTENT_HASH_CHARS) throw new RangeError(`a name part of ${lengthMax} characters cannot hold a hash`);
  const isKept = text.length <= lengthMax && dns1123LabelFault(text) === undefined && !endsInHash(text);
  return isKept ? text : withHash(dnsSafe(startOf(text)), text, lengthMax);
}

/** As much of a text as can matter to its readable part, so that a megabyte costs no more than its hash. */
function startOf(text: string): string {
  return text.slice(0, READABLE_CHARS_MAX);
}

function withHash(readable: string, text: string, lengthMax: number): string {
  // As JSON, because UTF-8 makes all halves of surrogate pairs the same character.
  const hash = contentHash(JSON.stringify(text));
  const room = Math.max(0, lengthMax - hash.length - 1);
  const start = readable.slice(0, room).replace(/[^A-Za-z0-9]+$/, "");
  return start === "" ? hash : `${start}-${hash}`;
}

function endsInHash(text: string): boolean {
  const end = text.slice(-CONTENT_HASH_CHARS);
  const before = text.at(-CONTENT_HASH_CHARS - 1) ?? "-";
  return end.length === CONTENT_HASH_CHARS && before === "-" && [...end].every((char) => safeAlphabet.includes(char));
}
