// The time of day as machines go by it: set once, when the kubelets start, and moved on by the clock that never jumps. Otherwise a wall
// clock that is set back would stop containers from starting until the lost time has passed again.
import type { Clock } from "../../src/kube/clock.ts";

/** Milliseconds since the epoch that only ever move on. */
export type SteadyTime = () => number;

/** The time of day from now on, whatever becomes of the wall clock. */
export function steadyTime(clock: Clock): SteadyTime {
  const offsetMs = clock.wallMs() - clock.monotonicMs();
  return () => offsetMs + clock.monotonicMs();
}
