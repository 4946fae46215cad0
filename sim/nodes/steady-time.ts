// The time of day as machines go by it: it follows the wall clock forwards and never back. A wall clock that is set back would otherwise stop
// containers from starting until the lost time has passed again; one that is set forward and not followed would make every pod look old
// to those who go by it.
import type { Clock } from "../../src/kube/clock.ts";

/** Milliseconds since the epoch that only ever move on. */
export type SteadyTime = () => number;

/** The time of day from now on; while the wall clock is behind, the clock that never jumps moves it on. */
export function steadyTime(clock: Clock): SteadyTime {
  let offsetMs = Number.NEGATIVE_INFINITY;
  return () => {
    const monotonicMs = clock.monotonicMs();
    offsetMs = Math.max(offsetMs, clock.wallMs() - monotonicMs);
    return offsetMs + monotonicMs;
  };
}
