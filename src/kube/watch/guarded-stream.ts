// A streamed GET that cannot hang: an answer must come in time, then a byte at least every so often, all of it within a
// limit, and the caller's signal ends it at once. It does not trust the transport to notice: a half-open connection never says that it is dead.

import { requestLine } from "../client/request-line.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { ChunkIterator, HttpStream, Transport } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import { skipSpace } from "../wire/json-bytes.ts";

export type StreamTimes = {
  /** Until the status line. */
  readonly answerMs: number;
  /** Between two pieces of the body that are more than white space. */
  readonly silenceMs: number;
  /** From the request to the end of the body. */
  readonly totalMs: number;
};

export type StreamedGet = {
  readonly path: string;
  readonly times: StreamTimes;
  readonly signal: AbortSignal;
  /** Our name in the server's audit log. */
  readonly userAgent?: string;
};

/** A reason of our own spares the error, with its stack, that an abort without one makes. */
const OVER = "the stream is over";

type Ports = { readonly transport: Transport; readonly clock: Clock };

export class GuardedStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What a chunk says, if that is known without reading it. */
  readonly valueIn: (chunk: Uint8Array) => unknown;
  readonly #chunks: ChunkIterator;
  readonly #guard: Guard;

  private constructor(stream: HttpStream, guard: Guard) {
    this.status = stream.status;
    this.headers = stream.headers;
    this.valueIn = stream.valueIn ?? ignore;
    this.#chunks = stream.chunks[Symbol.asyncIterator]();
    this.#guard = guard;
  }

  /** Sends the request; rejects with a TransportError when there is no answer in time, and with the signal's reason. */
  static async open(ports: Ports, get: StreamedGet): Promise<GuardedStream> {
    const guard = new Guard(ports.clock, get);
    try {
      const opening = ports.transport.stream({
        method: "GET",
        path: get.path,
        headers: {
          accept: "application/json",
          ...(get.userAgent === undefined ? {} : { "user-agent": get.userAgent }),
        },
        lane: "watches",
        signal: guard.signal,
      });
      // An answer after we have given up must not leave its connection open.
      opening.then((late) => guard.isOver && abandon(late.chunks[Symbol.asyncIterator]()), ignore);
      const stream = await guard.wait(opening);
      guard.expect(get.times.silenceMs, "no byte");
      return new GuardedStream(stream, guard);
    } catch (error) {
      guard.end();
      throw error;
    }
  }

  /** The next piece of the body, or undefined at its end. Rejects when the connection breaks, falls silent or is aborted. */
  async next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#guard.wait(this.#chunks.next());
    return done ? undefined : this.#note(value);
  }

  /** The next piece if it need not be waited for; if there is none, `next` tells why. */
  ready(): Uint8Array | undefined {
    const chunk = this.#guard.isOver ? undefined : this.#chunks.ready?.();
    return chunk === undefined ? undefined : this.#note(chunk);
  }

  #note(chunk: Uint8Array): Uint8Array {
    // Proxies send white space to keep a connection open whose other half may be long dead.
    if (skipSpace(chunk, 0) < chunk.length) this.#guard.heard();
    return chunk;
  }

  /** From now on all of the rest must come within this time. */
  endWithin(ms: number): void {
    this.#guard.endWithin(ms);
  }

  /** Gives up the connection. */
  close(): void {
    this.#guard.end();
    abandon(this.#chunks);
  }
}

/** Watches over one connection: fails whatever is waited for when time runs out or the caller's signal is aborted. */
class Guard {
  readonly #clock: Clock;
  readonly #get: StreamedGet;
  readonly #connection = new AbortController();
  readonly #onAbort = () => this.#fail(this.#get.signal.reason);
  #limitMs: number;
  #missing = "no answer";
  #lastMs: number;
  #endMs: number;
  #totalMs: number;
  #cancelTimer: Cancel = ignore;
  #failure: { readonly reason: unknown } | undefined;
  #reject: (reason: unknown) => void = ignore;
  isOver = false;

  constructor(clock: Clock, get: StreamedGet) {
    this.#clock = clock;
    this.#get = get;
    this.#limitMs = get.times.answerMs;
    this.#lastMs = clock.monotonicMs();
    this.#totalMs = get.times.totalMs;
    this.#endMs = this.#lastMs + this.#totalMs;
    if (get.signal.aborted) this.#fail(get.signal.reason);
    get.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Settles as the promise does, or rejects as soon as the guard fails. One at a time. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure.reason);
      this.#reject = reject;
      promise.then(resolve, reject);
    });
  }

  /** From now on something must be heard at least this often. */
  expect(limitMs: number, missing: string): void {
    this.#limitMs = limitMs;
    this.#missing = missing;
    this.heard();
    this.#arm();
  }

  endWithin(ms: number): void {
    this.#totalMs = ms;
    this.#endMs = this.#clock.monotonicMs() + ms;
    this.#arm();
  }

  /** Something came. The timer stays as it is and looks at this when it fires: streams are busier than clocks. */
  heard(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }

  end(): void {
    this.isOver = true;
    this.#cancelTimer();
    this.#get.signal.removeEventListener("abort", this.#onAbort);
    this.#connection.abort(OVER);
  }

  #arm(): void {
    this.#cancelTimer();
    const dueMs = Math.min(this.#lastMs + this.#limitMs, this.#endMs);
    this.#cancelTimer = this.#clock.after(Math.max(0, dueMs - this.#clock.monotonicMs()), () => this.#check());
  }

  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#endMs) this.#failLate(`not over after ${seconds(this.#totalMs)}`);
    else if (nowMs >= this.#lastMs + this.#limitMs) this.#failLate(`${this.#missing} for ${seconds(this.#limitMs)}`);
    else this.#arm();
  }

  #failLate(fault: string): void {
    this.#fail(new TransportError("timeout", `${requestLine("GET", this.#get.path)}: ${fault}`));
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#reject(reason);
    this.end();
  }
}

/** Closes the connection behind an iterator without waiting for it: it may be the very one that never answers. */
function abandon(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().then(ignore, ignore);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function ignore(): void {}
