// One life of a process: it sees the world through its ports only, so it can be stopped dead (nothing is delivered any more)
// or held for a while (everything is delivered later), and its clocks can be wrong.
import type { Cancel, Clock } from "../../src/kube/clock.ts";
import type { Lane } from "./processor.ts";

export type IncarnationOptions = {
  readonly name: string;
  /** The clock of the world. */
  readonly clock: Clock;
  /** How fast its time passes. */
  readonly rate: number;
  /** How long a timer really takes that was set for so long. */
  readonly timerMs: (delayMs: number) => number;
  /** Whether it dies when a timer is due, in place of what the timer is for. */
  readonly diesAtTimer: () => boolean;
  /** Lets it have a step when it is its turn. */
  readonly run: (lane: Lane, work: () => void) => void;
  /** Told about what its own code throws at the world: such a process dies. */
  readonly uncaught: (error: unknown) => void;
};

/** As timers of real machines have one: a remainder of a billionth must not be waited for again and again at the same instant. */
const TIMER_RESOLUTION_MS = 0.25;
const timers: Lane = { name: "timers", isInOrder: false };

export class Incarnation {
  readonly name: string;
  readonly clock: Clock & { jumpWall(ms: number): void; setWallRight(): void };
  readonly #options: IncarnationOptions;
  readonly #onDeath = new Set<() => void>();
  /** What came while it was held. */
  #held: (() => void)[] = [];
  #isPaused = false;
  #isDead = false;

  constructor(options: IncarnationOptions) {
    this.#options = options;
    this.name = options.name;
    this.clock = this.#createClock();
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Lets something happen in the process: when it is its turn, when it goes on, or never. */
  deliver(lane: Lane, work: () => void): void {
    if (this.#isDead) return;
    this.#options.run(lane, () => {
      const isHeld = this.#isPaused || this.#held.length > 0;
      if (isHeld) this.#held.push(work);
      else this.#perform(work);
    });
  }

  /** Nothing of it runs any more; who is told closes its connections. */
  crash(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#held = [];
    for (const close of this.#onDeath) close();
    this.#onDeath.clear();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Everything that came meanwhile arrives now, each piece as an event of its own; what comes now waits behind it. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#catchUp();
  }

  /** Calls back at the end of this life, until the returned function is called. */
  atDeath(close: () => void): Cancel {
    this.#onDeath.add(close);
    return () => this.#onDeath.delete(close);
  }

  #catchUp(): void {
    const { clock } = this.#options;
    clock.after(0, () => {
      const work = this.#isPaused ? undefined : this.#held.shift();
      if (work === undefined) return;
      this.#perform(work);
      this.#catchUp();
    });
  }

  #perform(work: () => void): void {
    if (this.#isDead) return;
    try {
      work();
    } catch (error) {
      this.#options.uncaught(error);
      this.crash();
    }
  }

  #createClock() {
    const { clock, rate, timerMs, diesAtTimer } = this.#options;
    const bornMs = clock.monotonicMs();
    const passedMs = () => (clock.monotonicMs() - bornMs) * rate;
    let wallAtBirthMs = clock.wallMs();
    return {
      monotonicMs: passedMs,
      wallMs: () => wallAtBirthMs + passedMs(),
      after: (delayMs: number, work: () => void) => {
        // One that is due may still wait for its turn.
        let isWanted = true;
        const fire = () => {
          if (!isWanted) return;
          if (diesAtTimer()) this.crash();
          else work();
        };
        const cancel = clock.after(resolved(timerMs(delayMs) / rate), () => this.deliver(timers, fire));
        return () => {
          isWanted = false;
          cancel();
        };
      },
      jumpWall: (ms: number) => {
        wallAtBirthMs += ms;
      },
      setWallRight: () => {
        wallAtBirthMs = clock.wallMs() - passedMs();
      },
    };
  }
}

function resolved(delayMs: number): number {
  return delayMs <= 0 ? 0 : Math.max(TIMER_RESOLUTION_MS, delayMs);
}
