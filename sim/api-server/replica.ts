// One of several servers over the same store, with a picture of its own that may lag behind. The simulation decides when a
// replica sees a revision; reads that ask for nothing newer, and all watches, show that picture.
import type { Cancel, Clock } from "../../src/kube/clock.ts";
import { tooLargeVersion } from "./faults/status.ts";
import type { Change, Store } from "./store/store.ts";

/** Called for every change; the replica sees it when `show` is called, and with it all changes before. */
export type Follow = (change: Change, show: () => void) => void;

/** How long a request waits for a version that this replica has not seen. */
const FRESHNESS_WAIT_MS = 3_000;

type Waiting = { readonly revision: number; readonly proceed: () => void };

export class Replica {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  readonly #readers = new Map<string, Set<() => void>>();
  #seen: number;

  constructor(store: Store, clock: Clock, follow: Follow = (_change, show) => show()) {
    this.#store = store;
    this.#clock = clock;
    this.#seen = store.revision;
    store.onCommit((change) => follow(change, () => this.#show(change)));
  }

  /** The newest revision that this replica has seen. */
  get seen(): number {
    return this.#seen;
  }

  /** Waits until the replica has seen a revision; rejects with a Refusal after a few seconds. */
  async sees(revision: number): Promise<void> {
    if (revision <= this.#seen) return;
    await new Promise<void>((resolve, reject) => {
      let cancel: Cancel = () => undefined;
      const waiting = {
        revision,
        proceed: () => {
          cancel();
          resolve();
        },
      };
      this.#waiting.add(waiting);
      cancel = this.#clock.after(FRESHNESS_WAIT_MS, () => {
        this.#waiting.delete(waiting);
        reject(tooLargeVersion(revision, this.#store.revision));
      });
    });
  }

  /** Calls `wake` whenever a change of a table comes into sight, until the returned function is called. */
  follow(table: string, wake: () => void): () => void {
    const readers = this.#readers.get(table) ?? new Set();
    this.#readers.set(table, readers);
    readers.add(wake);
    return () => readers.delete(wake);
  }

  #show({ revision, table }: Change): void {
    if (revision <= this.#seen) return;
    const isNext = revision === this.#seen + 1;
    this.#seen = revision;
    for (const waiting of this.#waiting) {
      if (waiting.revision > revision) continue;
      this.#waiting.delete(waiting);
      waiting.proceed();
    }
    // A jump over several revisions may have touched any table.
    const touched = isNext ? [this.#readers.get(table) ?? []] : this.#readers.values();
    for (const readers of touched) for (const wake of [...readers]) wake();
  }
}
