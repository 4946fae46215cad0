// Those who wrote something and wait until the cache has seen it. Part of the store: it tells us of each step forward.
import { compareVersions } from "../resource-version.ts";

/** More callers than this at once means that somebody waits without a deadline. */
export const WAITERS_MAX = 10_000;

type Waiter = { readonly version: string; readonly resolve: () => void };

export class VersionWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when `reached` is told of this version or a newer one; rejects with the signal's reason when it is aborted. */
  wait(version: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#waiters.size >= WAITERS_MAX) {
      const problem = `${WAITERS_MAX} callers already wait for a version; give each wait a signal with a deadline`;
      return Promise.reject(new Error(problem));
    }
    return new Promise((resolve, reject) => {
      const waiter = { version, resolve: () => finish(resolve) };
      const onAbort = () => finish(() => reject(signal.reason));
      const finish = (settle: () => void) => {
        this.#waiters.delete(waiter);
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      this.#waiters.add(waiter);
      signal.addEventListener("abort", onAbort);
    });
  }

  /** The store now stands at this version. */
  reached(version: string): void {
    for (const waiter of this.#waiters) {
      const order = compareVersions(version, waiter.version);
      if (order !== undefined && order >= 0) waiter.resolve();
    }
  }

  /** The store was listed anew. Where versions have no order this is the only news that surely includes an earlier write. */
  relisted(version: string): void {
    for (const waiter of this.#waiters) {
      const order = compareVersions(version, waiter.version);
      if (order === undefined || order >= 0) waiter.resolve();
    }
  }
}
