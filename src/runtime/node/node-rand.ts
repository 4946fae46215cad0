// The Rand port on Node.
import { getRandomValues } from "node:crypto";
import type { Rand } from "../../kube/rand.ts";

/** Asking the machine costs the same for one number as for many, and an identity takes dozens. */
const WORDS = 512;

/** The machine's randomness; good enough for identities, not only for jitter. */
export function nodeRand(): Rand {
  const words = new Uint32Array(WORDS);
  let used = WORDS;
  const word = () => {
    if (used === WORDS) {
      getRandomValues(words);
      used = 0;
    }
    const value = words[used] ?? 0;
    used += 1;
    return value;
  };
  return {
    // 53 bits: as many as a double in [0, 1) can tell apart.
    next: () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53,
  };
}
