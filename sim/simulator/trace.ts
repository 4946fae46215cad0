// What happened, one line per step, and the fingerprint of all lines: two runs with the same fingerprint took the same steps.
import { mixSeed } from "./mix-seed.ts";

/** Lines kept at most; a longer run keeps its beginning and its fingerprint. */
const LINES_MAX = 200_000;

export class Trace {
  readonly #nowMs: () => number;
  readonly #keeps: boolean;
  readonly #lines: string[] = [];
  #low = 0;
  #high = 1;
  #steps = 0;

  constructor(nowMs: () => number, keeps: boolean) {
    this.#nowMs = nowMs;
    this.#keeps = keeps;
  }

  /** Notes what somebody did or saw. */
  add(who: string, what: string): void {
    const line = `${this.#nowMs().toFixed(2).padStart(10)} ${who.padEnd(12)} ${what}`;
    this.#steps += 1;
    this.#low = mixSeed(this.#low, line);
    this.#high = mixSeed(this.#high ^ this.#low, line);
    if (this.#keeps && this.#lines.length < LINES_MAX) this.#lines.push(line);
  }

  get steps(): number {
    return this.#steps;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** 64 bits over all lines, in hexadecimal. */
  fingerprint(): string {
    return [this.#high, this.#low].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}
