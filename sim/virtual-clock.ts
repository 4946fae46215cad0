// A clock moved by hand: the binding of the Clock port for tests and simulations. Nothing happens between two moves,
// so a run with the same inputs takes the same steps every time.
import { setImmediate } from "node:timers";
import type { Cancel, Clock } from "../src/kube/clock.ts";

/** A run that fires more timers than this in one move is a loop that re-arms itself without letting time pass. */
const TIMERS_PER_MOVE_MAX = 1_000_000;

type Timer = { readonly dueMs: number; readonly work: () => void };

export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  /** Sorted by due time; equal times stay in the order in which they were set. */
  readonly #timers: Timer[] = [];

  constructor(wallStartMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = wallStartMs;
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, work: () => void): Cancel {
    const timer: Timer = { dueMs: this.#nowMs + Math.max(0, delayMs), work };
    this.#timers.splice(this.#placeBehind(timer.dueMs), 0, timer);
    return () => this.#remove(timer);
  }

  /** When the next timer is due, on the monotonic scale; undefined when nothing is set. */
  nextDueMs(): number | undefined {
    return this.#timers[0]?.dueMs;
  }

  /** How many timers are set: a number that only grows is a leak. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** Moves time forward and runs the due timers in order, without letting promises continue in between. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (let fired = 0; this.#fireNext(end); fired++) assertEnds(fired);
    this.#nowMs = end;
  }

  /** Moves time forward; after each due timer everything that waited for it continues before the next one fires. */
  async elapse(ms: number): Promise<void> {
    const end = this.#nowMs + ms;
    await this.settle();
    for (let fired = 0; this.#fireNext(end); fired++) {
      assertEnds(fired);
      await this.settle();
    }
    this.#nowMs = end;
  }

  /** Lets every promise continue until nothing is left to do at this instant. */
  settle(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** Sets the wall clock forward or back, as an operator or NTP does; monotonic time does not notice. */
  jumpWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  #fireNext(end: number): boolean {
    const timer = this.#timers[0];
    if (timer === undefined || timer.dueMs > end) return false;
    this.#timers.shift();
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.work();
    return true;
  }

  /** A timer that has fired is not there any more, so removing it does nothing. */
  #remove(timer: Timer): void {
    let place = this.#placeBehind(timer.dueMs) - 1;
    while (this.#timers[place]?.dueMs === timer.dueMs && this.#timers[place] !== timer) place -= 1;
    if (this.#timers[place] === timer) this.#timers.splice(place, 1);
  }

  /** The place behind all timers that are due by then. */
  #placeBehind(dueMs: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      if (other !== undefined && other.dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function assertEnds(fired: number): void {
  if (fired < TIMERS_PER_MOVE_MAX) return;
  throw new Error(`more than ${TIMERS_PER_MOVE_MAX} timers fired in one move of the clock; look for a zero-delay loop`);
}
