// What one attempt of the reflector has brought so far; at its end the policy judges by it.
import type { Clock } from "../clock.ts";
import type { Attempt, AttemptEnd } from "./reflector-policy.ts";

export class AttemptLog {
  readonly #clock: Clock;
  readonly #version: () => string;
  readonly #startMs: number;
  #aliveMs = 0;
  #isAnswered = false;
  #isListed = false;
  #versionBefore: string;

  /** `version` tells how far the store is. */
  constructor(clock: Clock, version: () => string) {
    this.#clock = clock;
    this.#version = version;
    this.#startMs = clock.monotonicMs();
    this.#versionBefore = version();
  }

  answered(): void {
    this.#isAnswered = true;
  }

  /** The version of the list itself is no progress of the watch that follows. */
  listed(): void {
    this.#isListed = true;
    this.#versionBefore = this.#version();
  }

  /** Since the last sign of a healthy stream, or the start. */
  get sinceAliveMs(): number {
    return this.#clock.monotonicMs() - this.#startMs - this.#aliveMs;
  }

  alive(): void {
    this.#aliveMs = this.#clock.monotonicMs() - this.#startMs;
  }

  close(end: AttemptEnd): Attempt {
    return {
      listed: this.#isListed,
      answered: this.#isAnswered,
      advanced: this.#version() !== this.#versionBefore,
      aliveMs: this.#aliveMs,
      tookMs: this.#clock.monotonicMs() - this.#startMs,
      end,
    };
  }
}
