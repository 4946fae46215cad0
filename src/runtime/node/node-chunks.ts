// The body of an answer as it comes off a connection: a pile of chunks, each as the server sent it, for one reader. Who waits is woken once per turn
// of the event loop, for all that came in it: waking costs as much as reading a small chunk.
import type { ChunkIterator } from "../../kube/transport.ts";

/**
 * So much may pile up while nobody reads; then the sender has to wait. It is also about what a reader may get at a stretch before
 * others have their turn.
 */
export const PILE_BYTES_MAX = 512 * 1024;

/** Where the chunks come from. */
export type ChunkSource = {
  pause(): void;
  resume(): void;
  /** What is still to come is not wanted. */
  close(): void;
};

type End = "whole" | { readonly broken: unknown };

type Waiting = {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
};

/** `next` is to be called again only when it has settled, and `return` closes the source unless all has come. */
export class ChunkPile implements ChunkIterator {
  readonly #source: ChunkSource;
  readonly #chunks: Uint8Array[] = [];
  #pileBytes = 0;
  #end: End | undefined;
  #waiting: Waiting | undefined;
  #isWaking = false;
  #isPaused = false;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  /** True when all of the body has come, and may be taken by `ready`. */
  get isWhole(): boolean {
    return this.#end === "whole";
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#pileBytes += chunk.byteLength;
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
    this.#source.close();
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
    if (this.#end === undefined) this.#source.close();
    this.finish();
    this.#chunks.length = 0;
    return { done: true, value: undefined };
  }

  #conclude(end: End): void {
    this.#end ??= end;
    this.#wakeSoon();
  }

  #wakeSoon(): void {
    if (this.#isWaking || this.#waiting === undefined) return;
    this.#isWaking = true;
    setImmediate(() => this.#wake());
  }

  #wake(): void {
    this.#isWaking = false;
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

  /** Lets the source send or wait. */
  #regulate(): void {
    const isPaused = this.#pileBytes > PILE_BYTES_MAX;
    if (isPaused === this.#isPaused || this.#end !== undefined) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#source.pause();
    else this.#source.resume();
  }
}
