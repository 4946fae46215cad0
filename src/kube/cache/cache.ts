// The read side of a client: a live, indexed copy of one resource, holding only what its owner reads.
// It runs on every replica; decisions read it, listeners wake those who decide.
//
// Beside this file:
//   store.ts, secondary-index.ts     the objects by key, and by anything else
//   version-waiters.ts               callers that wait until the cache shows their write
//   cache-pulse.ts, cache-limits.ts  health of a cache, and every limit by name
import type { CallReport } from "../client/api-caller.ts";
import type { Clock } from "../clock.ts";
import type { Rand } from "../rand.ts";
import { type Key, type KubeObject, type Resource, resourceName, type Stored } from "../resource.ts";
import type { Transport } from "../transport.ts";
import type { Feed } from "../watch/feed.ts";
import { runReflector } from "../watch/reflector.ts";
import type { Attempt, Move } from "../watch/reflector-policy.ts";
import { type Broken, isBroken, ObjectCodec, type WireObject } from "../wire/codec.ts";
import { CACHE_LIMITS, type CacheLimits } from "./cache-limits.ts";
import { CachePulse, type Restart, type Vitals } from "./cache-pulse.ts";
import type { TermsOf } from "./secondary-index.ts";
import { type Entry, type Listener, Store } from "./store.ts";

export type CacheOptions<T extends KubeObject, V, I extends string> = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly resource: Resource<T>;
  /** Our name in the server's audit log. */
  readonly userAgent?: string;
  /** All namespaces unless one is named. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** What the cache holds of an object. It may throw: the object is then reported and left as it was. */
  readonly project: (object: Stored<T>) => V;
  /** Members that `project` never reads, as paths ("status.images"). Naming them only saves time. */
  readonly unread?: readonly string[];
  readonly indexes: Readonly<Record<I, TermsOf<V>>>;
  readonly limits?: Partial<CacheLimits>;
  readonly hooks?: CacheHooks;
};

/** What a cache tells of itself, for logs and metrics. */
export type CacheHooks = {
  /** A list or watch is over; the next attempt starts after the delay. */
  readonly onRestart?: (restart: Restart) => void;
  /** An object cannot be held, or not whole; all others are. */
  readonly onUnreadable?: (message: string) => void;
  readonly onListenerFailure?: (error: unknown, key: Key) => void;
  /** A list or watch was answered, or will not be. */
  readonly onCall?: (report: CallReport) => void;
};

export type CacheVitals = Vitals & { readonly size: number; readonly isSynced: boolean };

export type Cache<V, I extends string> = {
  /** Resolves with the first whole list; rejects when the cache stops before. */
  readonly synced: Promise<void>;
  readonly resourceVersion: string;
  readonly size: number;
  get(key: Key): V | undefined;
  values(): Iterable<V>;
  by(index: I, term: string): Iterable<V>;
  count(index: I, term: string): number;
  /** Resolves once everything up to a version of this resource is in the cache, so that a writer can read its own write. */
  observed(resourceVersion: string, signal: AbortSignal): Promise<void>;
  /** Calls the listener for every later change, until the returned function is called. Read `values()` for what is there. */
  changes(listener: Listener<V>): () => void;
  vitals(): CacheVitals;
  /** Keeps the cache up to date until the signal is aborted. Called again after that, it begins with a list. */
  run(signal: AbortSignal): Promise<void>;
};

/** Builds a cache; nothing is sent before `run`. */
export function createCache<T extends KubeObject, V, I extends string = never>(
  options: CacheOptions<T, V, I>,
): Cache<V, I> {
  const hooks = calm(options.hooks ?? {});
  const limits: CacheLimits = { ...CACHE_LIMITS, ...options.limits };
  const pulse = new CachePulse(options.clock);
  const store = new Store<V, I>({
    indexes: options.indexes,
    objectsMax: limits.objectsMax,
    listenerFailed: (error, change) => hooks.onListenerFailure(error, change.key),
  });
  const feed = feedOf({ ...options, hooks }, limits, store, pulse);
  const first = Promise.withResolvers<void>();
  // Not everybody waits for the first list; those who do still get the rejection.
  first.promise.catch(() => undefined);
  const moved = (attempt: Attempt, move: Move) => {
    pulse.moved(attempt, move);
    hooks.onRestart({ reason: attempt.end.reason, message: attempt.end.message, delayMs: move.delayMs });
  };
  return {
    synced: first.promise,
    get resourceVersion() {
      return store.resourceVersion;
    },
    get size() {
      return store.size;
    },
    get: (key) => store.entry(key)?.value,
    values: () => store.values(),
    by: (index, term) => store.by(index, term),
    count: (index, term) => store.count(index, term),
    observed: (resourceVersion, signal) => store.observed(resourceVersion, signal),
    changes: (listener) => store.changes(listener),
    vitals: () => ({ size: store.size, isSynced: store.resourceVersion !== "", ...pulse.vitals() }),
    async run(signal) {
      await runReflector(feed, { listed: first.resolve, moved }, signal);
      first.reject(signal.reason);
    },
  };
}

/** The same hooks, but one that throws stops nothing: a log or a metric is no reason to go blind, and nobody is left to tell. */
function calm(hooks: CacheHooks): Required<CacheHooks> {
  const quietly =
    <A extends readonly unknown[]>(hook: ((...args: A) => void) | undefined) =>
    (...args: A) => {
      try {
        hook?.(...args);
      } catch {}
    };
  return {
    onRestart: quietly(hooks.onRestart),
    onUnreadable: quietly(hooks.onUnreadable),
    onListenerFailure: quietly(hooks.onListenerFailure),
    onCall: quietly(hooks.onCall),
  };
}

function feedOf<T extends KubeObject, V, I extends string>(
  options: CacheOptions<T, V, I>,
  limits: CacheLimits,
  store: Store<V, I>,
  pulse: CachePulse,
): Feed<V> {
  const { transport, clock, rand, resource, namespace, labelSelector, fieldSelector, userAgent } = options;
  const unreadable = (message: string) => options.hooks?.onUnreadable?.(`${resourceName(resource)}: ${message}`);
  return {
    ...{ transport, clock, rand, resource, limits, store, unreadable },
    codec: new ObjectCodec(options.unread),
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(userAgent === undefined ? {} : { userAgent }),
    read: (wire) => {
      if (wire.cut !== undefined) unreadable(wire.cut);
      const entry = readEntry(wire, options.project, store);
      if (!isBroken(entry)) return entry;
      unreadable(entry.broken);
      return undefined;
    },
    called: (report) => options.hooks?.onCall?.(report),
    heard: () => pulse.heard(),
    alive: () => pulse.alive(),
  };
}

/** Projection and index terms are the owner's code: what they throw on costs this one object. */
function readEntry<T extends KubeObject, V, I extends string>(
  { key, uid, resourceVersion, object }: WireObject,
  project: (object: Stored<T>) => V,
  store: Store<V, I>,
): Entry<V> | Broken {
  try {
    const value = project(object as Stored<T>);
    return { key, uid, resourceVersion, value, terms: store.termsOf(value) };
  } catch (error) {
    return { broken: `object "${key}" cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
