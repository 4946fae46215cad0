// How many calls may be in flight, found out by trying: the number grows while calls succeed and is halved when the server
// turns calls away or stops answering. It takes the place of a fixed rate, which is too low for one cluster and too high for the next.

export type ConcurrencyBounds = {
  readonly min: number;
  readonly start: number;
  readonly max: number;
  /** Calls that may wait for a slot; more means that somebody plans faster than any server could follow. */
  readonly waitersMax: number;
};

export const CONCURRENCY_BOUNDS: ConcurrencyBounds = { min: 1, start: 8, max: 16, waitersMax: 10_000 };

/** `good`: answered by a server that works. `overload`: turned away (429) or no answer in time. `other`: says nothing about the server's load. */
export type SlotOutcome = "good" | "overload" | "other";

/** Permission for one call; giving it back twice is harmless. */
export type Slot = { release(outcome: SlotOutcome): void };

type Waiter = { readonly start: () => void };

export class ConcurrencyLimit {
  readonly #bounds: ConcurrencyBounds;
  #limit: number;
  #inFlight = 0;
  /** Counts the halvings. A call that began before the last one must not cause another: it saw the same overload. */
  #era = 0;
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();

  constructor(bounds: ConcurrencyBounds = CONCURRENCY_BOUNDS) {
    this.#bounds = bounds;
    this.#limit = bounds.start;
  }

  /** Calls that may be in flight now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether the next caller gets its slot at once. */
  get hasRoom(): boolean {
    return this.#inFlight < this.limit;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Resolves with a slot in order of arrival; rejects with the signal's reason when that is aborted first. */
  acquire(signal?: AbortSignal): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.hasRoom) return Promise.resolve(this.#take());
    if (this.#waiters.size >= this.#bounds.waitersMax) {
      return Promise.reject(
        new Error(`${this.#waiters.size} calls wait for the API server already; plan fewer at once`),
      );
    }
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#take());
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #take(): Slot {
    const era = this.#era;
    let isHeld = true;
    this.#inFlight += 1;
    return {
      release: (outcome) => {
        if (!isHeld) return;
        isHeld = false;
        this.#learn(outcome, era);
        this.#inFlight -= 1;
        this.#startWaiters();
      },
    };
  }

  #learn(outcome: SlotOutcome, era: number): void {
    if (outcome === "overload" && era === this.#era) {
      this.#limit = Math.max(this.#bounds.min, this.#limit / 2);
      this.#era += 1;
    }
    // Success proves room for more only while the limit is being used.
    const isUsed = this.#inFlight * 2 > this.limit;
    if (outcome === "good" && isUsed) this.#limit = Math.min(this.#bounds.max, this.#limit + this.#growth());
  }

  /** Until the first overload one per success, to find the right size fast; afterwards one per round. */
  #growth(): number {
    return this.#era === 0 ? 1 : 1 / this.#limit;
  }

  #startWaiters(): void {
    for (const waiter of this.#waiters) {
      if (this.#inFlight >= this.limit) return;
      this.#waiters.delete(waiter);
      waiter.start();
    }
  }
}
