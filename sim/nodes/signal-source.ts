// A source of keys for the controller loop that offers what it is told to.
import type { Source } from "../../src/runtime/queue/intake.ts";

export class SignalSource implements Source {
  #offer: ((key: string, initial: boolean) => void) | undefined;
  readonly #existing: () => Iterable<string>;

  /** `existing` names the keys that are there whenever the loop asks from the beginning. */
  constructor(existing: () => Iterable<string>) {
    this.#existing = existing;
  }

  start(offer: (key: string, initial: boolean) => void): () => void {
    this.#offer = offer;
    for (const key of this.#existing()) offer(key, true);
    return () => {
      this.#offer = undefined;
    };
  }

  /** Asks for a run of the key. */
  wake(key: string): void {
    this.#offer?.(key, false);
  }
}
