// The Clock port on Node: the only place that tells the time or sets a timer in production, but for idle connections, which undici closes.
import type { Clock } from "../../kube/clock.ts";

/** Node fires longer timers at once, so they are set in pieces. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The machine's clock. */
export function nodeClock(): Clock {
  return {
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    after(delayMs, work) {
      // Who only lets others have their turn need not wait for a millisecond, which is Node's shortest time.
      if (delayMs <= 0) {
        const next = setImmediate(work);
        return () => clearImmediate(next);
      }
      let cancelled = false;
      let timer: NodeJS.Timeout;
      const arm = (leftMs: number) => {
        const nowMs = Math.min(leftMs, TIMER_MAX_MS);
        timer = setTimeout(() => {
          if (cancelled) return;
          if (leftMs > nowMs) arm(leftMs - nowMs);
          else work();
        }, nowMs);
      };
      arm(delayMs);
      return () => {
        cancelled = true;
        clearTimeout(timer);
      };
    },
  };
}
