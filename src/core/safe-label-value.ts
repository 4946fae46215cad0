// Free text (a kernel release, an image name) as a label value. Labels are for selecting and showing:
// what must be compared exactly is kept in full elsewhere.

import { CONTENT_HASH_CHARS, contentHash } from "./content-hash.ts";
import { isAlphanumeric, LABEL_VALUE_BYTES_MAX, labelValueFault } from "./label-syntax.ts";

/** A valid label value, itself where the text already is one; otherwise cleaned and told apart by a hash of the whole text. */
export function distinctLabelValue(text: string): string {
  if (labelValueFault(text) === undefined) return text;
  const readable = trimmed(normalisedText(text)).slice(0, LABEL_VALUE_BYTES_MAX - CONTENT_HASH_CHARS - 1);
  const shown = trimmed(readable);
  return shown === "" ? contentHash(text) : `${shown}-${contentHash(text)}`;
}

/** A valid label value without a hash: pleasant to read, but different texts may meet in one value. */
export function readableLabelValue(text: string): string {
  return trimmed(trimmed(normalisedText(text)).slice(0, LABEL_VALUE_BYTES_MAX));
}

/** Every code point outside letters, digits, `-`, `.` and `_` becomes `_`: kernel-module-management's form, not always valid. */
export function normalisedText(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/gu, "_");
}

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && !isAlphanumeric(text.charCodeAt(start))) start++;
  while (end > start && !isAlphanumeric(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
