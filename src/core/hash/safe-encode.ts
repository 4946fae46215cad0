// The alphabet Kubernetes writes hashes with: no vowels and no look-alikes, so that no hash spells a word.

export const safeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Maps every character into the safe alphabet; on decimal digits this is a fixed one-to-one map. */
export function safeEncode(text: string): string {
  let encoded = "";
  for (const char of text) encoded += safeAlphabet.charAt((char.codePointAt(0) ?? 0) % safeAlphabet.length);
  return encoded;
}

/** Six characters of 27 are the most that one word of 32 bits can fill. */
export const WORD_CHARS = 6;

/** Six characters of the alphabet for each word. */
export function encodeWords(words: Iterable<number>): string {
  let chars = "";
  for (const word of words) chars += encodedWord(word >>> 0);
  return chars;
}

function encodedWord(word: number): string {
  let rest = word;
  let chars = "";
  for (let place = 0; place < WORD_CHARS; place++) {
    chars += safeAlphabet.charAt(rest % safeAlphabet.length);
    rest = Math.floor(rest / safeAlphabet.length);
  }
  return chars;
}
