// Identities and moments that the server gives to objects, from the randomness and the clock it was handed.
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";

/** The characters of generated names: no vowels, so that no words come out. */
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_CHARS = 5;
/** What remains for the prefix in a name that is also a label value. */
const PREFIX_CHARS_MAX = 63 - SUFFIX_CHARS;

/** A new version-4 UUID. */
export function newUid(rand: Rand): string {
  let digits = "";
  for (let part = 0; part < 4; part++) {
    digits += Math.floor(rand.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) & 3);
  const [a, b, c, d, e] = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(13, 16),
    digits.slice(17, 20),
    digits.slice(20),
  ];
  return `${a}-${b}-4${c}-${variant}${d}-${e}`;
}

/** A name from a `generateName` prefix. */
export function newName(prefix: string, rand: Rand): string {
  let suffix = "";
  for (let place = 0; place < SUFFIX_CHARS; place++)
    suffix += nameAlphabet.charAt(Math.floor(rand.next() * nameAlphabet.length));
  return `${prefix.slice(0, PREFIX_CHARS_MAX)}${suffix}`;
}

/** The present as the server writes it. Many objects are written within a second; its text is made once. */
export function presentOf(clock: Clock): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const wallMs = clock.wallMs();
    if (Math.floor(wallMs / 1000) === second) return text;
    second = Math.floor(wallMs / 1000);
    text = timeText(wallMs);
    return text;
  };
}

/** A moment as the server writes it: RFC 3339, whole seconds. */
export function timeText(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
