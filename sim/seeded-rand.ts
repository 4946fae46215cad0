// Randomness that a number decides: the binding of the Rand port for tests and simulations.
import type { Rand } from "../src/kube/rand.ts";

/** The same seed gives the same sequence on every machine. */
export function seededRand(seed: number): Rand {
  let state = seed >>> 0;
  return {
    // Mulberry32: 32 bits of state are plenty for jitter and fault dice, and a seed stays short enough to type.
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
