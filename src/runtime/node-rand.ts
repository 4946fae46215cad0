// The Rand port on Node.
import { getRandomValues } from "node:crypto";
import type { Rand } from "../kube/rand.ts";

/** The machine's randomness; good enough for identities, not only for jitter. */
export function nodeRand(): Rand {
  const words = new Uint32Array(2);
  return {
    next() {
      getRandomValues(words);
      const [high = 0, low = 0] = words;
      // 53 bits: as many as a double in [0, 1) can tell apart.
      return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
    },
  };
}
