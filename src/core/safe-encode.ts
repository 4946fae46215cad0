// The alphabet Kubernetes writes hashes with: no vowels and no look-alikes, so that no hash spells a word.

export const safeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Maps every character into the safe alphabet; on decimal digits this is a fixed one-to-one map. */
export function safeEncode(text: string): string {
  let encoded = "";
  for (const char of text) encoded += safeAlphabet.charAt((char.codePointAt(0) ?? 0) % safeAlphabet.length);
  return encoded;
}
