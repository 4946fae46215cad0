// A stable hash of our own, for names and labels that must differ when their content differs, also where somebody chooses
// the content: a node writes its own kernel release. Hence SHA-256, of which as much is kept as a name has room for.

import { utf8Bytes } from "./fnv.ts";
import { encodeWords, WORD_CHARS } from "./safe-encode.ts";
import { sha256 } from "./sha256.ts";

/**
 * Twenty-four characters of 27 hold 114 bits: whoever looks for two contents with one hash has to try about 2^57 of them.
 * Of the 63 characters of a label value this leaves 38 to read, more than the kernels of distributions have.
 */
export const CONTENT_HASH_CHARS = 24;
const WORDS = CONTENT_HASH_CHARS / WORD_CHARS;

/** Always 24 characters, legal anywhere in names and label values. */
export function contentHash(text: string): string {
  return encodeWords(sha256(utf8Bytes(text)).subarray(0, WORDS));
}
