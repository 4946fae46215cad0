// A clock that runs faster than the machine's, for operators in tests: what they wait for by the clock (a fact that settles, a time of grace)
// comes sooner, while everything that a cluster does takes the time that it takes.
import type { Clock } from "../../../src/kube/clock.ts";

/** A clock that begins with the given one and runs `times` as fast. */
export function hastyClock(clock: Clock, times: number): Clock {
  const start = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  const passedMs = () => (clock.monotonicMs() - start.monotonicMs) * times;
  return {
    wallMs: () => start.wallMs + passedMs(),
    monotonicMs: () => start.monotonicMs + passedMs(),
    after: (delayMs, work) => clock.after(delayMs / times, work),
  };
}
