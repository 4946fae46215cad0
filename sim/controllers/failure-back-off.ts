// How long something that keeps failing has to wait before it is tried again: doubling per failure, forgotten after long quiet.

export type BackOffLimits = { readonly firstMs: number; readonly maxMs: number };

/** Keys remembered; the oldest is forgotten for a new one. */
const KEYS_MAX = 100_000;

export class FailureBackOff {
  readonly #limits: BackOffLimits;
  readonly #byKey = new Map<string, { readonly delayMs: number; readonly sinceMs: number }>();

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** What is left of the wait since the last failure. */
  remainingMs(key: string, nowMs: number): number {
    const known = this.#byKey.get(key);
    return known === undefined ? 0 : Math.max(0, known.sinceMs + known.delayMs - nowMs);
  }

  /** Takes down a failure. */
  failed(key: string, nowMs: number): void {
    const { firstMs, maxMs } = this.#limits;
    const known = this.#byKey.get(key);
    const isForgotten = known === undefined || nowMs - known.sinceMs > 2 * maxMs;
    const delayMs = isForgotten ? firstMs : Math.min(known.delayMs * 2, maxMs);
    this.#byKey.delete(key);
    this.#byKey.set(key, { delayMs, sinceMs: nowMs });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > KEYS_MAX && oldest !== undefined) this.#byKey.delete(oldest);
  }
}
