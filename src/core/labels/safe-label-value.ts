// Free text (a kernel release, an image name) in the alphabet of label values. Both forms are for reading: different texts
// may meet in one. Where they must not, label-safe.ts adds a hash.

import { isAlphanumeric, LABEL_VALUE_BYTES_MAX } from "./label-syntax.ts";

/** A valid label value as near to the text as possible; empty when nothing of it can stand in one. */
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
