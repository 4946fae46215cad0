// The way from sources to the queue. When the queue is full it refuses keys; the intake then offers what exists again,
// in turns as room comes, so that a bounded queue loses nobody's wake-up for good.
import type { Priority } from "./queue.ts";

export interface Source {
  /** Offers every key that exists, as `initial`, then each key that changes, until the returned function is called. */
  start(offer: (key: string, initial: boolean) => void): () => void;
}

/** Takes a key for a run; false when there is no room for it. */
export type Admit = (key: string, how: { readonly priority: Priority }) => boolean;

export class Intake {
  readonly #sources: readonly Source[];
  readonly #admit: Admit;
  #unsubscribe: readonly (() => void)[] = [];
  /** The existing key that found no room: the next turn begins there. */
  #resumeAt: string | undefined;
  /** A change was refused, or the place to resume at is not certain any more. */
  #mustOfferAll = false;

  constructor(sources: readonly Source[], admit: Admit) {
    this.#sources = sources;
    this.#admit = admit;
  }

  /** Whether a key was refused, so that `catchUp` has something to do. */
  get isBehind(): boolean {
    return this.#resumeAt !== undefined || this.#mustOfferAll;
  }

  start(): void {
    this.#resumeAt = undefined;
    this.#mustOfferAll = false;
    this.#offerFrom(undefined);
  }

  stop(): void {
    for (const end of this.#unsubscribe) end();
    this.#unsubscribe = [];
  }

  /** Offers existing keys from where the last turn ended, or all of them when that would miss some. */
  catchUp(): void {
    this.stop();
    const from = this.#resumeAt;
    if (from === undefined) this.#mustOfferAll = false;
    this.#resumeAt = undefined;
    const hasResumed = this.#offerFrom(from);
    // The key to resume at is gone: which ones came after it is not known, so the next turn offers all.
    if (!hasResumed) this.#mustOfferAll = true;
  }

  #offerFrom(first: string | undefined): boolean {
    let isSkipping = first !== undefined;
    this.#unsubscribe = this.#sources.map((source) =>
      source.start((key, initial) => {
        if (initial && key === first) isSkipping = false;
        if (initial && isSkipping) return;
        const isAdmitted = this.#admit(key, { priority: initial ? "backlog" : "live" });
        if (initial && !isAdmitted) this.#resumeAt ??= key;
        // A key that changes may have been removed and have come back behind those that the next turn would begin before.
        const isPlaceLost = key === this.#resumeAt;
        if (!initial && (!isAdmitted || isPlaceLost)) this.#mustOfferAll = true;
      }),
    );
    return !isSkipping;
  }
}
