// A clock moved by hand: the binding of the Clock port for tests and simulations. Nothing happens between two moves,
// so a run with the same inputs takes the same steps every time.
import { setImmediate } from "node:timers";
import type { Cancel, Clock } from "../src/kube/clock.ts";
import { type Timer, TimerHeap } from "./timer-heap.ts";

/** A run that fires more timers than this in one move is a loop that re-arms itself without letting time pass. */
const TIMERS_PER_MOVE_MAX = 1_000_000;

/**
 * Timers fired per turn of the event loop. Node lets all promises continue between two immediates, so several of them per turn
 * are as good as one, and cost a fifth. A move begins with few: most moves are short, and the rest of a turn is for nothing.
 */
const TIMERS_PER_TURN_MIN = 4;
const TIMERS_PER_TURN_MAX = 64;

export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  readonly #timers = new TimerHeap();
  #timersSet = 0;

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
    this.#timersSet += 1;
    const timer: Timer = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#timersSet, work, place: -1 };
    this.#timers.add(timer);
    return () => this.#timers.remove(timer);
  }

  /** When the next timer is due, on the monotonic scale; undefined when nothing is set. */
  nextDueMs(): number | undefined {
    return this.#timers.first()?.dueMs;
  }

  /** How many timers are set: a number that only grows is a leak. */
  get timerCount(): number {
    return this.#timers.size;
  }

  /** Moves time forward and runs the due timers in order, without letting promises continue in between. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (let fired = 0; this.#fireNext(end); fired++) assertEnds(fired);
    this.#nowMs = end;
  }

  /** Moves time forward; after each due timer everything that waited for it continues before the next one fires. */
  elapse(ms: number): Promise<void> {
    return this.elapseUntil(this.#nowMs + ms, () => false);
  }

  /** The same up to an instant, or until `isEnough` says so after a timer; time then stands where it was. */
  elapseUntil(endMs: number, isEnough: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let fired = 0;
      let isOver = false;
      let perTurn = TIMERS_PER_TURN_MIN;
      const step = () => {
        if (isOver) return;
        try {
          isOver = isEnough() || this.#isAtEnd(endMs);
          if (isOver) resolve();
          else assertEnds(fired++);
        } catch (error) {
          isOver = true;
          reject(error);
        }
      };
      const turn = () => {
        if (isOver) return;
        for (let steps = 0; steps < perTurn; steps++) setImmediate(step);
        perTurn = Math.min(TIMERS_PER_TURN_MAX, 2 * perTurn);
        setImmediate(turn);
      };
      turn();
    });
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

  #isAtEnd(endMs: number): boolean {
    if (this.#fireNext(endMs)) return false;
    this.#nowMs = Math.max(this.#nowMs, endMs);
    return true;
  }

  #fireNext(end: number): boolean {
    const timer = this.#timers.first();
    if (timer === undefined || timer.dueMs > end) return false;
    this.#timers.remove(timer);
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.work();
    return true;
  }
}

function assertEnds(fired: number): void {
  if (fired < TIMERS_PER_MOVE_MAX) return;
  throw new Error(`more than ${TIMERS_PER_MOVE_MAX} timers fired in one move of the clock; look for a zero-delay loop`);
}
