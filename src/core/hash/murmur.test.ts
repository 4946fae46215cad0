import { expect, test } from "vitest";
import { absorb, absorbText, beginDigest, endDigest } from "./murmur.ts";

const hexOf = (words: readonly number[]) => words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");

/** Four words a block, the lowest byte first. */
function digestOf(bytes: string): string {
  const lanes = beginDigest();
  const words = new Int32Array(Uint8Array.from(bytes, (char) => char.charCodeAt(0)).buffer);
  for (let at = 0; at < words.length; at += 4)
    absorb(lanes, words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0);
  return hexOf(endDigest(lanes));
}

// From code that gives the published verification value of MurmurHash3_x86_128, 0xb3ece62a.
test.each([
  ["", "00000000000000000000000000000000"],
  ["0123456789abcdef", "fb7d440936aed30a48ad1d9b572b3bfd"],
  ["0123456789abcdef0123456789ABCDEF", "4e10913a60e190b7f67e1c5258ba8867"],
])("the digest of %j is that of MurmurHash3", (bytes, digest) => {
  expect(digestOf(bytes)).toBe(digest);
});

test("texts differ by every unit, by their length and by their kind", () => {
  const long = "abcdefghijklmnopqrstuvwxyz";
  const texts = ["", "\u0000", "\u0000\u0000", ...Array.from(long, (_, at) => long.slice(0, at + 1)), "é", "\u{1f40e}"];
  const changed = Array.from(long, (_, at) => `${long.slice(0, at)}_${long.slice(at + 1)}`);
  const digests = [...new Set([...texts, ...changed])].flatMap((text) => [textDigest(1, text), textDigest(2, text)]);
  expect(new Set(digests).size).toBe(digests.length);
});

test("half a surrogate pair counts as the character that stands for it", () => {
  expect(textDigest(1, "a\ud800")).toBe(textDigest(1, "a\ufffd"));
});

function textDigest(kind: number, text: string): string {
  const lanes = beginDigest();
  absorbText(lanes, kind, text);
  return hexOf(endDigest(lanes));
}
