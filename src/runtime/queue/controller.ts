// The loop that turns changes into runs: sources say which keys to look at, the queue orders them, workers reconcile them.
//
// Guarantees: a key has at most one run at a time, even one that ignores its timeout; a run that throws costs only its own
// key (back-off) and a worker that hangs is replaced; after `stop` no run starts.
// Assumes: a source offers every key that exists when it starts, so whatever was forgotten while stopped comes back.
//
// Beside this file:
//   queue.ts, fifo.ts, delay-heap.ts  the work queue: order, and what is due later
//   intake.ts, cache-source.ts        from caches to the queue
//   back-off.ts, token-bucket.ts      pauses after failures, and rates
import type { Cancel, Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import type { Logger } from "../log/log.ts";
import { Intake, type Source } from "./intake.ts";
import { type Ending, Queue, type QueueLimits, type QueueReadings, type Taken } from "./queue.ts";

export type Run = {
  /** Aborted when the run has taken too long or the controller stops. */
  readonly signal: AbortSignal;
  /** 1 for the first run since the last success. */
  readonly attempt: number;
  readonly log: Logger;
};

/** Looks after one key. `againInMs` asks for another look; throwing asks for one after a growing pause. */
export type Reconcile = (key: string, run: Run) => Promise<{ readonly againInMs: number } | undefined>;

export type ControllerOptions = {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  readonly workers: number;
  /** After this a run is told to stop. */
  readonly timeoutMs: number;
  readonly queue: QueueLimits;
};

export type RunResult = "success" | "failure" | "timeout";

export type ControllerPorts = {
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  /** Told about every finished run. */
  readonly onRun?: (run: { readonly result: RunResult; readonly tookMs: number; readonly waitedMs: number }) => void;
};

export type ControllerReadings = QueueReadings & {
  /** Runs that ignored their timeout and still hold their key. */
  readonly stuck: number;
};

/** How long a run may go on after it was told to stop before it is reported as stuck. */
const ABORT_GRACE_MS = 5_000;

/** Of the time to stop, the part in which runs may finish by themselves; the rest is for those that were aborted. */
const DRAIN_SHARE = 0.75;

/** Runs that do no I/O would keep the event loop to themselves; after so long it gets a turn. */
const SLICE_MS = 20;

type ActiveRun = {
  readonly key: string;
  readonly abort: AbortController;
  readonly startedMs: number;
  isStuck: boolean;
};

export class Controller {
  readonly #options: ControllerOptions;
  readonly #ports: ControllerPorts;
  readonly #log: Logger;
  readonly #queue: Queue<string>;
  readonly #active = new Set<ActiveRun>();
  readonly #intake: Intake;
  #isRunning = false;
  #isFeeding = false;
  #yieldedMs: number;
  #sweepTimer: Cancel | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: ControllerOptions, ports: ControllerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#log = ports.log.with({ controller: options.name });
    this.#queue = new Queue(ports, options.queue, () => this.#feedSoon());
    this.#intake = new Intake(options.sources, (key, how) => this.#queue.add(key, how));
    this.#yieldedMs = ports.clock.monotonicMs();
  }

  get name(): string {
    return this.#options.name;
  }

  /** Starts, or starts again after `stop`. */
  start(): void {
    if (this.#isRunning) throw new Error(`controller "${this.name}" was started twice; stop it first`);
    this.#isRunning = true;
    this.#intake.start();
  }

  /** Lets active runs finish, aborts them when most of `withinMs` is over, and returns the keys of those that go on. */
  async stop(withinMs: number): Promise<readonly string[]> {
    this.#isRunning = false;
    this.#intake.stop();
    this.#queue.clear();
    await this.#idleWithin(withinMs * DRAIN_SHARE);
    for (const run of this.#active) run.abort.abort(new Error(`controller "${this.name}" stops`));
    await this.#idleWithin(withinMs * (1 - DRAIN_SHARE));
    return [...this.#active].map((run) => run.key).sort();
  }

  readings(): ControllerReadings {
    return { ...this.#queue.readings(), stuck: this.#stuck() };
  }

  /** Never works inside the caller's stack: a source offers keys in the middle of its own update. */
  #feedSoon(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    const { clock } = this.#ports;
    if (clock.monotonicMs() - this.#yieldedMs < SLICE_MS) {
      queueMicrotask(() => this.#feed());
      return;
    }
    clock.after(0, () => {
      this.#yieldedMs = clock.monotonicMs();
      this.#feed();
    });
  }

  #feed(): void {
    this.#isFeeding = false;
    while (this.#isRunning && this.#freeWorkers() > 0) {
      const taken = this.#queue.take();
      if (taken === undefined) return;
      void this.#runOnce(taken);
    }
  }

  /** A stuck run keeps its key but not its worker; so many may be replaced, no more. */
  #freeWorkers(): number {
    const { workers } = this.#options;
    return workers + Math.min(this.#stuck(), workers) - this.#active.size;
  }

  #stuck(): number {
    let stuck = 0;
    for (const run of this.#active) if (run.isStuck) stuck += 1;
    return stuck;
  }

  async #runOnce(taken: Taken<string>): Promise<void> {
    const startedMs = this.#ports.clock.monotonicMs();
    const run: ActiveRun = { key: taken.key, abort: new AbortController(), startedMs, isStuck: false };
    this.#active.add(run);
    this.#armSweep();
    const ending = await this.#reconcile(run, taken.attempt);
    const failure = run.abort.signal.aborted ? "timeout" : "failure";
    this.#finish(run, taken, ending.result === "success" ? "success" : failure, ending);
  }

  async #reconcile({ key, abort }: ActiveRun, attempt: number): Promise<Ending> {
    const log = this.#log.with({ key });
    try {
      const again = await this.#options.reconcile(key, { signal: abort.signal, attempt, log });
      return { result: "success", againInMs: again === undefined ? undefined : timeFrom(key, again) };
    } catch (error) {
      this.#quietly(() => log.warn("reconcile failed", { error, attempt }));
      return { result: "failure" };
    }
  }

  #finish(run: ActiveRun, taken: Taken<string>, result: RunResult, ending: Ending): void {
    const tookMs = this.#ports.clock.monotonicMs() - run.startedMs;
    if (run.isStuck) this.#quietly(() => this.#log.warn("a stuck reconcile came back", { key: run.key, tookMs }));
    this.#active.delete(run);
    // Whoever stopped us has cleared the queue; a retry would outlive the stop.
    this.#queue.done(run.key, this.#isRunning ? ending : { result: "success" });
    this.#quietly(() => this.#ports.onRun?.({ result, tookMs, waitedMs: taken.waitedMs }));
    if (this.#active.size === 0) this.#becomeIdle();
    if (this.#isRunning) this.#feedSoon();
    this.#catchUp();
  }

  /** A log or a metric that fails is no reason to keep a key from its next run, and nobody is left to tell. */
  #quietly(tell: () => void): void {
    try {
      tell();
    } catch {}
  }

  #catchUp(): void {
    const { keysMax } = this.#options.queue;
    const hasRoom = this.#queue.size <= keysMax / 2;
    if (!this.#isRunning || !this.#intake.isBehind || !hasRoom) return;
    this.#log.warn("the queue was full; existing keys are offered again", { keysMax });
    this.#intake.catchUp();
  }

  #armSweep(): void {
    if (this.#sweepTimer !== undefined) return;
    const { clock } = this.#ports;
    const dueMs = Math.min(...[...this.#active].filter((run) => !run.isStuck).map((run) => this.#nextCheckMs(run)));
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#sweepTimer = clock.after(Math.max(0, Math.ceil(dueMs - clock.monotonicMs())), () => this.#sweep());
  }

  #nextCheckMs(run: ActiveRun): number {
    return run.startedMs + this.#options.timeoutMs + (run.abort.signal.aborted ? ABORT_GRACE_MS : 0);
  }

  /** One timer for all runs: those past their time are told to stop, those that did not are reported. */
  #sweep(): void {
    this.#sweepTimer = undefined;
    const nowMs = this.#ports.clock.monotonicMs();
    for (const run of this.#active) {
      if (run.isStuck || this.#nextCheckMs(run) > nowMs) continue;
      if (run.abort.signal.aborted) this.#reportStuck(run);
      else run.abort.abort(new Error(`reconcile of "${run.key}" took longer than ${this.#options.timeoutMs} ms`));
    }
    this.#armSweep();
  }

  #reportStuck(run: ActiveRun): void {
    run.isStuck = true;
    const tookMs = this.#ports.clock.monotonicMs() - run.startedMs;
    this.#log.error("a reconcile ignores its timeout; its key stays busy until it returns", { key: run.key, tookMs });
    this.#feedSoon();
  }

  #becomeIdle(): void {
    this.#sweepTimer?.();
    this.#sweepTimer = undefined;
    this.#onIdle?.();
  }

  /** Resolves when no run is active, at the latest after `waitMs`. */
  #idleWithin(waitMs: number): Promise<void> {
    if (this.#active.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(waitMs, resolve);
      this.#onIdle = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** The time that a run asks for; throws when it is none, which fails that run and not the queue. */
function timeFrom(key: string, { againInMs }: { readonly againInMs: number }): number {
  if (Number.isFinite(againInMs) && againInMs >= 0) return againInMs;
  throw new Error(`"${key}" cannot be looked at again in ${againInMs} ms; give a time from 0 on`);
}
