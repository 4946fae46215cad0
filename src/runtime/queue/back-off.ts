// How long to stay away from something that keeps failing. Used by the work queue per key and by every loop that retries.
import type { Rand } from "../../kube/rand.ts";

export type BackOff = {
  readonly baseMs: number;
  readonly maxMs: number;
};

/** Doubling beyond this many attempts only risks an overflow: 2^40 base delays exceed any sensible maximum. */
const DOUBLINGS_MAX = 40;

/** The share of a delay that chance may take away, so that keys that failed together do not return together. */
const JITTER = 0.5;

/** The pause before attempt `attempt + 1`, given that attempts 1..attempt failed: doubling, jittered down, never above `maxMs`. */
export function backOffMs(backOff: BackOff, attempt: number, rand: Rand): number {
  const doublings = Math.min(Math.max(0, attempt - 1), DOUBLINGS_MAX);
  const fullMs = Math.min(backOff.maxMs, backOff.baseMs * 2 ** doublings);
  return fullMs * (1 - JITTER * rand.next());
}
