// A rate with some slack: so many at once, then so many per second. Used where more would flood others.
import type { Clock } from "../../kube/clock.ts";

export type Rate = {
  readonly burst: number;
  readonly perSecond: number;
};

export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #tokens: number;
  #filledMs: number;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledMs = clock.monotonicMs();
  }

  /** Takes one token; false when there is none. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until `tryTake` can succeed; 0 when it can now. */
  waitMs(): number {
    this.#fill();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1_000);
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#filledMs) / 1_000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#filledMs = nowMs;
  }
}
