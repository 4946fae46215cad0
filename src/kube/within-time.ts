// A time limit around one piece of work. One AbortController per run: `AbortSignal.timeout` and `AbortSignal.any` cost
// microseconds and hold memory until the time is over, also when the work was done long before.
import type { Clock } from "./clock.ts";

export type TimeLimit = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the caller is told when the time is over. */
  readonly late: () => Error;
};

/** Runs `work` with a signal; settles as soon as the time is over or the outer signal is aborted, even if `work` does not. */
export function withinTime<T>(clock: Clock, limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (limit.signal?.aborted) return reject(limit.signal.reason);
    const inner = new AbortController();
    const stop = (reason: unknown) => {
      finish();
      // First our answer, then the abort: the work's own complaint about being aborted comes second and is dropped.
      reject(reason);
      inner.abort(reason);
    };
    const onAbort = () => stop(limit.signal?.reason);
    const cancelTimer = clock.after(limit.timeoutMs, () => stop(limit.late()));
    const finish = () => {
      cancelTimer();
      limit.signal?.removeEventListener("abort", onAbort);
    };
    limit.signal?.addEventListener("abort", onAbort, { once: true });
    started(work, inner.signal).then(
      (value) => {
        finish();
        resolve(value);
      },
      (error) => {
        finish();
        reject(error);
      },
    );
  });
}

function started<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return work(signal);
  } catch (error) {
    return Promise.reject(error);
  }
}
