// Wakes a controller by what a cache sees: every object that is there, then every change, each mapped to the keys it concerns.
import type { Cache } from "../kube/cache.ts";
import type { Source } from "./intake.ts";

export type CacheSourceOptions<V> = {
  readonly isWorthALook?: (was: V | undefined, now: V | undefined) => boolean;
  /** Told when a value cannot be mapped to keys, or judged; it costs no other value its wake-up. */
  readonly onFailure?: (error: unknown) => void;
};

/** A source over a cache. A change concerns the keys of what was and of what is, so that an owner notices what it lost. */
export function cacheSource<V>(
  cache: Pick<Cache<V, never>, "values" | "changes">,
  keysOf: (value: V) => Iterable<string>,
  options: CacheSourceOptions<V> = {},
): Source {
  const attempt = <R>(work: () => R, otherwise: R): R => {
    try {
      return work();
    } catch (error) {
      options.onFailure?.(error);
      return otherwise;
    }
  };
  const keysFrom = (value: V) => attempt(() => [...keysOf(value)], []);
  return {
    start(offer) {
      const end = cache.changes(({ was, now, initial }) => {
        const { isWorthALook } = options;
        // A look too many does no harm.
        if (isWorthALook !== undefined && !attempt(() => isWorthALook(was, now), true)) return;
        const keys = new Set([was, now].flatMap((value) => (value === undefined ? [] : keysFrom(value))));
        for (const key of keys) offer(key, initial);
      });
      for (const value of cache.values()) for (const key of keysFrom(value)) offer(key, true);
      return end;
    },
  };
}
