// The signs of life of a cache, for health checks and metrics: when it last heard, how often it began anew, what ails it.
import type { Clock } from "../clock.ts";
import type { Attempt, EndReason, Move } from "../watch/reflector-policy.ts";

export type Restart = { readonly reason: EndReason; readonly message: string; readonly delayMs: number };

export type Vitals = {
  /** Attempts that are over, by how they ended. */
  readonly restarts: ReadonlyMap<EndReason, number>;
  /** Since the last byte from the server; undefined before the first. */
  readonly silentMs: number | undefined;
  /** Why the copy is getting old, and for how long; undefined once the server has shown that it is current. */
  readonly trouble: (Restart & { readonly forMs: number }) | undefined;
};

export class CachePulse {
  readonly #clock: Clock;
  readonly #restarts = new Map<EndReason, number>();
  #heardAtMs: number | undefined;
  #trouble: (Restart & { readonly sinceMs: number }) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  heard(): void {
    this.#heardAtMs = this.#clock.monotonicMs();
  }

  alive(): void {
    this.#trouble = undefined;
  }

  moved({ end }: Attempt, { delayMs, isFailure }: Move): void {
    this.#restarts.set(end.reason, (this.#restarts.get(end.reason) ?? 0) + 1);
    if (!isFailure) return;
    const sinceMs = this.#trouble?.sinceMs ?? this.#clock.monotonicMs();
    this.#trouble = { reason: end.reason, message: end.message, delayMs, sinceMs };
  }

  vitals(): Vitals {
    const nowMs = this.#clock.monotonicMs();
    const trouble = this.#trouble;
    return {
      restarts: new Map(this.#restarts),
      silentMs: this.#heardAtMs === undefined ? undefined : nowMs - this.#heardAtMs,
      trouble:
        trouble === undefined
          ? undefined
          : {
              reason: trouble.reason,
              message: trouble.message,
              delayMs: trouble.delayMs,
              forMs: nowMs - trouble.sinceMs,
            },
    };
  }
}
