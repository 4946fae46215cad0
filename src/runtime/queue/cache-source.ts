// Wakes a controller by what a cache sees: every object that is there, then every change, each mapped to the keys it concerns.
import type { Cache } from "../../kube/cache/cache.ts";
import type { Source } from "./intake.ts";

export type CacheSourceOptions<V> = {
  readonly isWorthALook?: (was: V | undefined, now: V | undefined) => boolean;
  /** Told when a value cannot be mapped to keys, or judged; it costs no other value its wake-up. */
  readonly onFailure?: (error: unknown) => void;
};

const NO_KEYS: readonly string[] = Object.freeze([]);

/** A source over a cache. A change concerns the keys of what was and of what is, so that an owner notices what it lost. */
export function cacheSource<V>(
  cache: Pick<Cache<V, never>, "values" | "changes">,
  keysOf: (value: V) => readonly string[],
  options: CacheSourceOptions<V> = {},
): Source {
  /** A look too many does no harm. */
  const isWorthALook = (was: V | undefined, now: V | undefined): boolean => {
    try {
      return options.isWorthALook?.(was, now) ?? true;
    } catch (error) {
      options.onFailure?.(error);
      return true;
    }
  };
  const keysFrom = (value: V | undefined): readonly string[] => {
    if (value === undefined) return NO_KEYS;
    try {
      return keysOf(value);
    } catch (error) {
      options.onFailure?.(error);
      return NO_KEYS;
    }
  };
  return {
    start(offer) {
      const end = cache.changes(({ was, now, initial }) => {
        if (!isWorthALook(was, now)) return;
        const keys = keysFrom(was);
        for (const key of keys) offer(key, initial);
        for (const key of keysFrom(now)) if (!keys.includes(key)) offer(key, initial);
      });
      for (const value of cache.values()) for (const key of keysFrom(value)) offer(key, true);
      return end;
    },
  };
}
