// Tells people what happened to an object, as Kubernetes Events. The same thing said again only raises a count.
//
// Guarantees: `record` returns at once and never throws; memory, events per object and writes per second are bounded, and
// whatever a bound or the server turned away is counted.
// Caveats: an event is news, not state: it may be lost. Conditions carry what must not be.
import { ApiError, isAlreadyExists, isNotFound } from "../../kube/client/api-error.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { keyOf } from "../../kube/resource.ts";
import { withinTime } from "../../kube/within-time.ts";
import { Queue, type Taken } from "../queue/queue.ts";
import { type Rate, TokenBucket } from "../queue/token-bucket.ts";
import {
  aSeries,
  events,
  type Happening,
  identityOf,
  type Series,
  tellable,
  toEvent,
  toPatch,
} from "./event-series.ts";
import type { Logger } from "./log.ts";

export type EventLimits = {
  /** Different things that may be said about one object. */
  readonly perObject: Rate;
  /** Writes to the API server, all objects together. */
  readonly inTotal: Rate;
  /** Between two updates of the count of one event. */
  readonly repeatMs: number;
  /** Events and objects that are remembered, to count repeats; the longest unused goes first. */
  readonly rememberedMax: number;
  /** Events that wait for being written. */
  readonly pendingMax: number;
};

export const EVENT_LIMITS: EventLimits = {
  perObject: { burst: 25, perSecond: 1 / 60 },
  inTotal: { burst: 50, perSecond: 5 },
  repeatMs: 30_000,
  rememberedMax: 4_000,
  pendingMax: 1_000,
};

export type EventReadings = { readonly written: number; readonly dropped: number };

export type EventRecorderOptions = {
  readonly client: Pick<Client, "create" | "patch">;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  /** Who says it: the name of the program, and of this replica. */
  readonly component: string;
  readonly instance: string;
  readonly limits?: EventLimits;
};

const ATTEMPTS_MAX = 4;
const WRITE_TIMEOUT_MS = 10_000;
const WRITE_BACK_OFF = { baseMs: 1_000, maxMs: 30_000 };

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limits: EventLimits;
  readonly #series = new Map<string, Series>();
  readonly #objects = new Map<string, TokenBucket>();
  readonly #queue: Queue<string>;
  readonly #total: TokenBucket;
  #isWriting = false;
  #isWaiting = false;
  #isClosed = false;
  #written = 0;
  #dropped = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#limits = options.limits ?? EVENT_LIMITS;
    this.#total = new TokenBucket(options.clock, this.#limits.inTotal);
    const { repeatMs: spacingMs, pendingMax: keysMax } = this.#limits;
    this.#queue = new Queue(options, { backOff: WRITE_BACK_OFF, spacingMs, keysMax }, () => this.#feedSoon());
  }

  /** Notes that something happened; it is written when the limits allow. */
  record(told: Happening): void {
    const happening = tellable(told);
    const identity = identityOf(happening);
    const series = this.#remembered(identity, happening);
    if (this.#isClosed || series === undefined) {
      this.#dropped += 1;
      return;
    }
    series.count += 1;
    series.lastWallMs = this.#options.clock.wallMs();
    if (!this.#queue.add(identity)) this.#dropped += 1;
  }

  readings(): EventReadings {
    return { written: this.#written, dropped: this.#dropped };
  }

  /** Takes no more and writes what is waiting, for at most `drainMs`. */
  async stop(drainMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#queue.depth > 0 || this.#isWriting) await this.#idleWithin(drainMs);
    this.#dropped += this.#queue.depth;
    this.#queue.clear();
  }

  #remembered(identity: string, happening: Happening): Series | undefined {
    const known = this.#series.get(identity);
    if (known !== undefined) {
      touch(this.#series, identity, known, this.#limits.rememberedMax);
      return known;
    }
    const { uid } = happening.about;
    const bucket = this.#objects.get(uid) ?? new TokenBucket(this.#options.clock, this.#limits.perObject);
    touch(this.#objects, uid, bucket, this.#limits.rememberedMax);
    if (!bucket.tryTake()) return undefined;
    const series = aSeries(happening, this.#options.clock.wallMs(), this.#options.rand);
    touch(this.#series, identity, series, this.#limits.rememberedMax);
    return series;
  }

  #feedSoon(): void {
    queueMicrotask(() => this.#feed());
  }

  /** One write at a time, as fast as the total rate allows. */
  #feed(): void {
    if (this.#isWriting || this.#isWaiting || this.#queue.depth === 0) return;
    if (!this.#total.tryTake()) {
      this.#isWaiting = true;
      this.#options.clock.after(this.#total.waitMs(), () => {
        this.#isWaiting = false;
        this.#feed();
      });
      return;
    }
    const taken = this.#queue.take();
    if (taken !== undefined) void this.#write(taken);
  }

  async #write(taken: Taken<string>): Promise<void> {
    this.#isWriting = true;
    const series = this.#series.get(taken.key);
    const isSettled = series === undefined || (await this.#send(series, taken.attempt));
    this.#isWriting = false;
    this.#queue.done(taken.key, { result: isSettled ? "success" : "failure" });
    if (this.#queue.depth === 0) this.#onIdle?.();
    this.#feed();
  }

  /** True when nothing is left to do for this series: it was written, or it never will be. */
  async #send(series: Series, attempt: number): Promise<boolean> {
    const { count } = series;
    try {
      if (series.countWritten > 0) await this.#update(series);
      else await this.#create(series);
      series.countWritten = count;
      this.#written += 1;
      return true;
    } catch (error) {
      if (attempt < ATTEMPTS_MAX && isWorthRepeating(error)) return false;
      this.#dropped += 1;
      this.#options.log.debug("an event was dropped", { event: series.name, error });
      return true;
    }
  }

  async #create(series: Series): Promise<void> {
    const { client } = this.#options;
    try {
      await this.#ask((options) => client.create(events, toEvent(series, this.#options), options));
    } catch (error) {
      // The name is random, so it can only be our own earlier attempt whose answer was lost.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** The server forgets events after an hour or so; one that comes back after that is written anew. */
  async #update(series: Series): Promise<void> {
    const { client } = this.#options;
    const key = keyOf(toEvent(series, this.#options));
    try {
      await this.#ask((options) => client.patch(events, key, toPatch(series), options));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(series);
    }
  }

  #ask<T>(work: (options: { readonly signal: AbortSignal }) => Promise<T>): Promise<T> {
    const late = () => new Error(`no answer about an event within ${WRITE_TIMEOUT_MS} ms`);
    return withinTime(this.#options.clock, { timeoutMs: WRITE_TIMEOUT_MS, late }, (signal) => work({ signal }));
  }

  #idleWithin(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(waitMs, resolve);
      this.#onIdle = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Puts an entry at the young end of a map and drops the oldest beyond the limit. */
function touch<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > max ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}

function isWorthRepeating(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status >= 500;
}
