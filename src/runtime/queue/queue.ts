// The work queue between what changed and who looks after it: keys in, one worker per key out.
//
// Guarantees: a key added at any moment is handed out after that moment (no lost wake-up); a key is never held by two
// workers; adding a key that waits changes nothing but its priority (higher wins) and its delay (shorter wins).
// Assumes: every taken key comes back through `done`.
// Caveats: a key that keeps failing is retried at once when it is added again, since the world has changed; the spacing
// bounds how often. A full queue refuses new keys and says so: the caller must offer them again later.
import type { Cancel, Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { type BackOff, backOffMs } from "./back-off.ts";
import { DelayHeap } from "./delay-heap.ts";
import { Fifo } from "./fifo.ts";

/** "backlog" is what the first list brings; "live" is a change that somebody has just made. */
export type Priority = "backlog" | "live";

export type QueueLimits = {
  readonly backOff: BackOff;
  /** Between the starts of two runs of a key: wake-ups in between become one. After a run that took longer it rests a fifth of this. */
  readonly spacingMs: number;
  /** Distinct keys that want a run or have one. */
  readonly keysMax: number;
  /** Which of the ready keys of one priority is next: the one that has waited longest, unless told that any will do. */
  readonly order?: "oldest" | "any";
};

/** Retries as Kubernetes' own controllers do; many changes of one object within the spacing cost one run. */
export const QUEUE_LIMITS: QueueLimits = {
  backOff: { baseMs: 5, maxMs: 1_000_000 },
  spacingMs: 100,
  keysMax: 100_000,
};

export type Taken<K extends string> = {
  readonly key: K;
  /** 1 for the first run since the last success. */
  readonly attempt: number;
  readonly priority: Priority;
  /** How long the key has been ready. */
  readonly waitedMs: number;
};

/** How a run ended. Only success forgets earlier failures. */
export type Ending =
  | { readonly result: "success"; readonly againInMs?: number | undefined }
  | { readonly result: "failure" };

export type QueueReadings = {
  readonly depth: number;
  readonly delayed: number;
  readonly busy: number;
  /** Age of the key that has been ready longest. */
  readonly oldestMs: number;
  readonly refused: number;
};

/** One hand-out in so many goes to the backlog even while live keys wait, so that it cannot starve. */
const BACKLOG_TURN = 8;
/** Of the spacing, after a run that took longer than that: it has waited for answers, and what they brought about waits for the next. */
const REST_SHARE = 1 / 5;

type WakeUp = { readonly dueMs: number; readonly priority: Priority };

type Entry<K extends string> = {
  readonly key: K;
  state: "ready" | "delayed" | "busy" | "resting";
  priority: Priority;
  dueMs: number;
  place: number;
  readySinceMs: number;
  restUntilMs: number;
  failures: number;
  /** What was asked for while the key was busy. */
  next: WakeUp | undefined;
};

export class Queue<K extends string> {
  readonly #entries = new Map<K, Entry<K>>();
  readonly #lines: Readonly<Record<Priority, Fifo<Entry<K>>>> = { live: new Fifo(), backlog: new Fifo() };
  /** Holds both what is delayed and what rests; the latter leaves without being handed out. */
  readonly #heap = new DelayHeap<Entry<K>>();
  readonly #clock: Clock;
  readonly #rand: Rand;
  readonly #limits: QueueLimits;
  readonly #onReady: () => void;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined;
  #resting = 0;
  #busy = 0;
  #handedOut = 0;
  #refused = 0;

  /** `onReady` is called whenever a key can be taken; it must not take keys before it returns. */
  constructor(ports: { readonly clock: Clock; readonly rand: Rand }, limits: QueueLimits, onReady: () => void) {
    this.#clock = ports.clock;
    this.#rand = ports.rand;
    this.#limits = limits;
    this.#onReady = onReady;
  }

  /** Distinct keys that want a run or have one. */
  get size(): number {
    return this.#entries.size - this.#resting;
  }

  /** Keys that are ready to be taken. */
  get depth(): number {
    return this.#lines.live.size + this.#lines.backlog.size;
  }

  /** Asks for a run of `key`; false when the queue is full and does not know the key. */
  add(key: K, how: { readonly afterMs?: number; readonly priority?: Priority } = {}): boolean {
    const { afterMs = 0, priority = "live" } = how;
    // What has no place in the order of time would block everything behind it in the heap.
    if (!Number.isFinite(afterMs)) throw new Error(`key "${key}" cannot wait ${afterMs} ms; give a time from 0 on`);
    const wakeUp = { dueMs: this.#clock.monotonicMs() + afterMs, priority };
    const known = this.#entries.get(key);
    const isNew = known === undefined || known.state === "resting";
    if (isNew && this.size >= this.#limits.keysMax) {
      this.#refused += 1;
      return false;
    }
    const entry = known ?? this.#admit(key, wakeUp);
    switch (entry.state) {
      case "busy":
        entry.next = soonest(entry.next, wakeUp);
        break;
      case "ready":
        this.#promote(entry, wakeUp.priority);
        break;
      case "delayed":
        this.#schedule(entry, soonest({ dueMs: entry.dueMs, priority: entry.priority }, wakeUp));
        break;
      case "resting":
        this.#resting -= 1;
        this.#schedule(entry, wakeUp);
        break;
    }
    this.#armTimer();
    return true;
  }

  /** The next key to work on, which is then busy until `done`; undefined when none is ready. */
  take(): Taken<K> | undefined {
    const isBacklogTurn = (this.#handedOut + 1) % BACKLOG_TURN === 0;
    const { live, backlog } = this.#lines;
    const [first, second] = isBacklogTurn ? [backlog, live] : [live, backlog];
    const entry = this.#from(first) ?? this.#from(second);
    if (entry === undefined) return undefined;
    this.#handedOut += 1;
    this.#busy += 1;
    entry.state = "busy";
    const nowMs = this.#clock.monotonicMs();
    entry.restUntilMs = nowMs + this.#limits.spacingMs;
    const { key, failures, priority, readySinceMs } = entry;
    return { key, attempt: failures + 1, priority, waitedMs: nowMs - readySinceMs };
  }

  #from(line: Fifo<Entry<K>>): Entry<K> | undefined {
    const at = this.#limits.order === "any" ? Math.floor(this.#rand.next() * line.size) : 0;
    return line.take(at);
  }

  /** Gives a taken key back. */
  done(key: K, ending: Ending): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== "busy") throw new Error(`key "${key}" was given back but nobody had taken it`);
    const nowMs = this.#clock.monotonicMs();
    const wish = this.#wishOf(entry, ending, nowMs);
    const wakeUp = wish === undefined ? entry.next : soonest(entry.next, wish);
    this.#busy -= 1;
    entry.failures = ending.result === "success" ? 0 : entry.failures + 1;
    entry.next = undefined;
    entry.restUntilMs = Math.max(entry.restUntilMs, nowMs + this.#limits.spacingMs * REST_SHARE);
    if (wakeUp === undefined) this.#rest(entry);
    else this.#schedule(entry, wakeUp);
    this.#armTimer();
  }

  /** Drops every wish and every memory of failures; busy keys stay busy until they are given back. */
  clear(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== "busy") {
        this.#lines[entry.priority].remove(entry);
        this.#heap.remove(entry);
        this.#entries.delete(entry.key);
      }
      entry.next = undefined;
      entry.failures = 0;
    }
    this.#resting = 0;
    this.#armTimer();
  }

  readings(): QueueReadings {
    const delayed = this.#heap.size - this.#resting;
    const oldestMs = this.#oldestMs();
    return { depth: this.depth, delayed, busy: this.#busy, oldestMs, refused: this.#refused };
  }

  #admit(key: K, { dueMs, priority }: WakeUp): Entry<K> {
    const readySinceMs = this.#clock.monotonicMs();
    const entry: Entry<K> = {
      ...{ key, priority, dueMs, readySinceMs, state: "delayed", place: -1, restUntilMs: 0, failures: 0 },
      next: undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #wishOf(entry: Entry<K>, ending: Ending, nowMs: number): WakeUp | undefined {
    if (ending.result === "failure") {
      const delayMs = backOffMs(this.#limits.backOff, entry.failures + 1, this.#rand);
      return { dueMs: nowMs + delayMs, priority: entry.priority };
    }
    return ending.againInMs === undefined ? undefined : { dueMs: nowMs + ending.againInMs, priority: entry.priority };
  }

  #schedule(entry: Entry<K>, wakeUp: WakeUp): void {
    entry.priority = wakeUp.priority;
    entry.dueMs = Math.max(wakeUp.dueMs, entry.restUntilMs);
    if (entry.dueMs <= this.#clock.monotonicMs()) {
      this.#makeReady(entry);
    } else {
      entry.state = "delayed";
      this.#heap.put(entry);
    }
  }

  #makeReady(entry: Entry<K>): void {
    this.#heap.remove(entry);
    entry.state = "ready";
    entry.readySinceMs = this.#clock.monotonicMs();
    this.#lines[entry.priority].push(entry);
    this.#onReady();
  }

  #promote(entry: Entry<K>, priority: Priority): void {
    if (entry.priority === "live" || priority === "backlog") return;
    this.#lines.backlog.remove(entry);
    entry.priority = "live";
    this.#lines.live.push(entry);
  }

  /** A key that nobody wants stays known for the spacing, so that its next wake-up keeps the distance. */
  #rest(entry: Entry<K>): void {
    if (this.#limits.spacingMs <= 0) {
      this.#entries.delete(entry.key);
      return;
    }
    entry.state = "resting";
    entry.dueMs = entry.restUntilMs;
    this.#resting += 1;
    this.#heap.put(entry);
  }

  /** One timer for all delays. One that fires early finds nothing due and is set again. */
  #armTimer(): void {
    const dueMs = this.#heap.first()?.dueMs;
    if (dueMs === this.#timer?.dueMs) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (dueMs === undefined) return;
    // Whole milliseconds: the remainder after an early timer could be too small to move any clock on.
    const delayMs = Math.max(0, Math.ceil(dueMs - this.#clock.monotonicMs()));
    this.#timer = { dueMs, cancel: this.#clock.after(delayMs, () => this.#releaseDue()) };
  }

  #releaseDue(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (let entry = this.#heap.first(); entry !== undefined && entry.dueMs <= nowMs; entry = this.#heap.first()) {
      if (entry.state === "delayed") this.#makeReady(entry);
      else this.#forget(entry);
    }
    this.#armTimer();
  }

  #forget(entry: Entry<K>): void {
    this.#resting -= 1;
    this.#heap.remove(entry);
    this.#entries.delete(entry.key);
  }

  #oldestMs(): number {
    let sinceMs = this.#clock.monotonicMs();
    const nowMs = sinceMs;
    for (const line of [this.#lines.live, this.#lines.backlog]) {
      for (const entry of line.values()) sinceMs = Math.min(sinceMs, entry.readySinceMs);
    }
    return nowMs - sinceMs;
  }
}

function soonest(one: WakeUp | undefined, other: WakeUp): WakeUp {
  if (one === undefined) return other;
  const priority = one.priority === "live" ? "live" : other.priority;
  return { dueMs: Math.min(one.dueMs, other.dueMs), priority };
}
