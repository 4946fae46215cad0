// The port for time. Production binds it to Node, the simulation to a model; nothing else tells the time or sets a timer.

export interface Clock {
  /** Wall time in ms since the epoch: for timestamps that people and other programs read. It may jump. */
  wallMs(): number;
  /** Milliseconds that never go backwards: for deadlines, spacing and leases. */
  monotonicMs(): number;
  /** Runs `work` once after `delayMs`; the returned function cancels it and may be called at any time. */
  after(delayMs: number, work: () => void): Cancel;
}

export type Cancel = () => void;

/** Resolves after `delayMs`, or rejects with the signal's reason as soon as it is aborted. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
