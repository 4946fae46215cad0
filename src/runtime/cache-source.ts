// Wakes a controller by what a cache sees: every object that is there, then every change, each mapped to the keys it concerns.
import type { Cache } from "../kube/cache.ts";
import type { Source } from "./intake.ts";

/** A source over a cache. A change concerns the keys of what was and of what is, so that an owner notices what it lost. */
export function cacheSource<V>(
  cache: Pick<Cache<V, never>, "values" | "changes">,
  keysOf: (value: V) => Iterable<string>,
  options: { readonly isWorthALook?: (was: V | undefined, now: V | undefined) => boolean } = {},
): Source {
  return {
    start(offer) {
      const end = cache.changes(({ was, now, initial }) => {
        if (options.isWorthALook?.(was, now) === false) return;
        const keys = new Set([was, now].flatMap((value) => (value === undefined ? [] : [...keysOf(value)])));
        for (const key of keys) offer(key, initial);
      });
      for (const value of cache.values()) for (const key of keysOf(value)) offer(key, true);
      return end;
    },
  };
}
