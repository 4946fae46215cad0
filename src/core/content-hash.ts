// A short stable hash of our own, for names and labels that must differ when their content differs.

import { fnv1a64, utf8Bytes } from "./fnv.ts";
import { safeAlphabet } from "./safe-encode.ts";

/** Twelve characters of 27 hold 57 bits: among 100,000 contents the chance of any clash is below one in ten million. */
export const CONTENT_HASH_CHARS = 12;
const HALF_CHARS = CONTENT_HASH_CHARS / 2;

/** Always twelve characters, legal anywhere in names and label values. */
export function contentHash(text: string): string {
  const [high, low] = fnv1a64(utf8Bytes(text));
  return encoded(high) + encoded(low);
}

function encoded(half: number): string {
  let rest = half;
  let chars = "";
  for (let place = 0; place < HALF_CHARS; place++) {
    chars += safeAlphabet.charAt(rest % safeAlphabet.length);
    rest = Math.floor(rest / safeAlphabet.length);
  }
  return chars;
}
