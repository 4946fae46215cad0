// A stable hash of our own, for names and labels that must differ when their content differs, also
// where an attacker chooses the content: a node writes its own kernel release. Hence SHA-256, of
// which as much is kept as a name has room for.
//
// This folder makes hashes and names. Our own names start here. Beside this file:
//   names.ts                                             the names of objects that we create
//   fingerprint.ts, murmur.ts                            the identity of a rendered value, quick
//   controller-revision-hash.ts, fnv.ts, safe-encode.ts  the hashes that Kubernetes puts into names
//   template-hash.ts, go-dump.ts                         the pod-template-hash of other controllers
import { hash } from "node:crypto";
import { encodeWords, WORD_CHARS } from "./safe-encode.ts";

/**
 * Twenty-four characters of 27 hold 114 bits: an attacker has to try about 2^57 contents to find two
 * with one hash. Of the 63 characters of a label value this leaves 38 to read, more than the kernel
 * releases of distributions have.
 */
export const CONTENT_HASH_CHARS = 24;
const WORDS = CONTENT_HASH_CHARS / WORD_CHARS;
const WORD_BYTES = 4;

/** Always 24 characters, legal anywhere in names and label values. Half a surrogate pair counts as U+FFFD, as in Go. */
export function contentHash(text: string): string {
  const digest = hash("sha256", text, "buffer");
  return encodeWords(Array.from({ length: WORDS }, (_, word) => digest.readUInt32BE(word * WORD_BYTES)));
}

/** The whole SHA-256 of bytes, as registries write it behind "sha256:". */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}
