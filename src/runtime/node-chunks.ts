// The body of an answer as it comes off a connection: a pile of chunks, each as the server sent it, for one reader. Who waits is woken once per turn
// of the event loop, for all that came in it, and where little comes at a time not even that often: waking costs as much as reading a small chunk.
import type { Cancel, Clock } from "../kube/clock.ts";
import type { ChunkIterator } from "../kube/transport.ts";

/**
 * So much may pile up while nobody reads; then the sender has to wait. It is also about what a reader may get at a stretch before
 * others have their turn.
 */
export const PILE_BYTES_MAX = 512 * 1024;
/** A turn that brings so much is followed by the next at once: this is a list, and not a trickle of events. */
export const STEADY_BYTES_MIN = 16 * 1024;
/** So is a rest that brings so much, which is more than the busiest trickle does: a thousand events a second of 10 KB are 100 KB in a rest. */
export const STEADY_REST_BYTES_MIN = 128 * 1024;

/** Where the chunks come from. */
export type ChunkSource = {
  pause(): void;
  resume(): void;
  /** What is still to come is not wanted. */
  close(): void;
};

export type ChunkPileOptions = {
  readonly source: ChunkSource;
  readonly clock: Clock;
  /** How long to let chunks pile up after the reader was woken for little: events that come one by one are then read several at a time. 0 never rests. */
  readonly restMs: number;
};

type End = "whole" | { readonly broken: unknown };

type Waiting = {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
};

/** `next` is to be called again only when it has settled, and `return` closes the source unless all has come. */
export class ChunkPile implements ChunkIterator {
  readonly #options: ChunkPileOptions;
  readonly #chunks: Uint8Array[] = [];
  #pileBytes = 0;
  /** What came since the reader was woken last. */
  #newBytes = 0;
  #end: End | undefined;
  #waiting: Waiting | undefined;
  #isWaking = false;
  #isPaused = false;
  #stopResting: Cancel | undefined;

  constructor(options: ChunkPileOptions) {
    this.#options = options;
  }

  /** True when all of the body has come, and may be taken by `ready`. */
  get isWhole(): boolean {
    return this.#end === "whole";
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#pileBytes += chunk.byteLength;
    this.#newBytes += chunk.byteLength;
    if (this.#pileBytes > PILE_BYTES_MAX) this.#regulate();
    this.#wakeSoon();
  }

  /** All has come. */
  finish(): void {
    this.#conclude("whole");
  }

  /** No more will come, because of this. */
  fail(reason: unknown): void {
    this.#conclude({ broken: reason });
  }

  /** The reader wants no more, because of this. */
  giveUp(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#options.source.close();
    this.fail(reason);
  }

  ready(): Uint8Array | undefined {
    const chunk = this.#chunks.shift();
    this.#pileBytes -= chunk?.byteLength ?? 0;
    return chunk;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    return new Promise((resolve, reject) => {
      if (this.#chunks.length > 0 || this.#end !== undefined) return this.#settle({ resolve, reject });
      this.#waiting = { resolve, reject };
      this.#regulate();
    });
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#end === undefined) this.#options.source.close();
    this.finish();
    this.#chunks.length = 0;
    return { done: true, value: undefined };
  }

  #conclude(end: End): void {
    this.#end ??= end;
    this.#stopResting?.();
    this.#stopResting = undefined;
    this.#wakeSoon();
  }

  #wakeSoon(): void {
    const isResting = this.#stopResting !== undefined;
    if (isResting || this.#isWaking || this.#waiting === undefined) return;
    this.#isWaking = true;
    setImmediate(() => this.#wake(STEADY_BYTES_MIN));
  }

  #wake(steadyBytesMin: number): void {
    this.#isWaking = false;
    if (this.#newBytes < steadyBytesMin) this.#rest();
    this.#newBytes = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#settle(waiting);
  }

  #settle({ resolve, reject }: Waiting): void {
    const value = this.ready();
    if (value !== undefined) resolve({ done: false, value });
    else if (this.#end === "whole") resolve({ done: true, value: undefined });
    else reject(this.#end?.broken);
  }

  /** The source goes on, which is simpler: that to stop it saves anything did not show. */
  #rest(): void {
    const { clock, restMs } = this.#options;
    if (restMs === 0 || this.#end !== undefined) return;
    this.#stopResting = clock.after(restMs, () => {
      this.#stopResting = undefined;
      // Who is busy elsewhere finds what has piled up when it asks.
      if (this.#waiting !== undefined && this.#chunks.length > 0) this.#wake(STEADY_REST_BYTES_MIN);
    });
  }

  /** Lets the source send or wait. */
  #regulate(): void {
    const isPaused = this.#pileBytes > PILE_BYTES_MAX;
    if (isPaused === this.#isPaused || this.#end !== undefined) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#options.source.pause();
    else this.#options.source.resume();
  }
}
