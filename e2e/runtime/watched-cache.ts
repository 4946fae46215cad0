// A cache under test together with a listener that believes every change it is told: both pictures are compared with the
// truth in the end, and the cache also with the truth at each version that it ever claimed to be at.
import { type Cache, createCache } from "../../src/kube/cache/cache.ts";
import type { CacheLimits } from "../../src/kube/cache/cache-limits.ts";
import type { Restart } from "../../src/kube/cache/cache-pulse.ts";
import type { Change } from "../../src/kube/cache/store.ts";
import { keyOf } from "../../src/kube/resource.ts";
import type { Cluster } from "../control-plane/cluster.ts";
import type { Connection } from "../control-plane/connect.ts";
import { eventually } from "../control-plane/eventually.ts";
import { configMaps } from "./config-maps.ts";
import type { Observer } from "./observer.ts";
import { differencesFrom, readConfigMaps, type States, stateOf, statesAfterEach } from "./store-state.ts";

export type Seen = { readonly key: string; readonly state: string; readonly text: string };

/** What the cache held when its listener was told of a change. */
type Claim = { readonly version: number; readonly states: States };

/** Attempts come soon after each other, because a test shall not wait for half a minute. */
const PATIENT_ENOUGH: Partial<CacheLimits> = { delayMaxMs: 2_000 };
const SAME_DEADLINE = { deadlineMs: 60_000 };

/** Starts a cache of the ConfigMaps of one namespace; resolves when it has its first list. */
export async function watchConfigMaps(
  connection: Pick<Connection, "transport" | "clock" | "rand">,
  namespace: string,
  limits: Partial<CacheLimits> = {},
): Promise<WatchedCache> {
  const restarts: Restart[] = [];
  const cache = createCache({
    ...{ transport: connection.transport, clock: connection.clock, rand: connection.rand },
    ...{ resource: configMaps, namespace, limits: { ...PATIENT_ENOUGH, ...limits }, indexes: {} },
    project: (object): Seen => ({
      key: keyOf(object),
      state: stateOf(object.metadata.uid, object.metadata.resourceVersion),
      text: object.data?.text ?? "",
    }),
    hooks: { onRestart: (restart) => restarts.push(restart) },
  });
  const watched = new WatchedCache(cache, namespace, restarts);
  watched.run();
  await cache.synced;
  return watched;
}

export class WatchedCache {
  readonly cache: Cache<Seen, never>;
  readonly namespace: string;
  /** Every list and watch that is over. */
  readonly restarts: readonly Restart[];
  /** Every change that the listener was told, in order. */
  readonly changes: readonly Change<Seen>[];
  readonly #changes: Change<Seen>[] = [];
  readonly #replayed = new Map<string, string>();
  readonly #claims: Claim[] = [];
  readonly #contradictions: string[] = [];
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(cache: Cache<Seen, never>, namespace: string, restarts: readonly Restart[]) {
    this.cache = cache;
    this.namespace = namespace;
    this.restarts = restarts;
    this.changes = this.#changes;
    cache.changes((change) => this.#hear(change));
  }

  run(): void {
    this.#running = this.cache.run(this.#stopped.signal);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** How often an attempt has ended in this way. */
  restartsBy(reason: Restart["reason"]): number {
    return this.cache.vitals().restarts.get(reason) ?? 0;
  }

  /** Whether its last attempt failed and the server has not shown since that the copy is current. */
  get isTroubled(): boolean {
    return this.cache.vitals().trouble !== undefined;
  }

  /** The text of an object as the cache holds it. */
  text(name: string): string | undefined {
    return this.cache.get(`${this.namespace}/${name}`)?.text;
  }

  /** The smallest number of objects that the listener has ever found in the cache. */
  get sizeMin(): number {
    return Math.min(...this.#claims.map(({ states }) => states.size));
  }

  /** Waits until cache and listener equal a quorum list: nothing missing, nothing stale, no ghosts. */
  async becomesSameAs(cluster: Cluster): Promise<States> {
    const same = async () => {
      const truth = await readConfigMaps(cluster, this.namespace);
      const cache = differencesFrom(truth, this.#held());
      const listener = differencesFrom(truth, this.#replayed);
      if (cache === undefined && listener === undefined) return truth;
      throw new Error(JSON.stringify({ cache, listener }));
    };
    return eventually(`the cache of ${this.namespace} equals the server's list`, same, SAME_DEADLINE);
  }

  /** Where the cache has ever shown something else than the store held at the version that the cache claimed. */
  liesBy(observer: Observer): readonly string[] {
    const history = [...statesAfterEach(observer.changes("configmaps", this.namespace))];
    const lies = this.#claims.flatMap(({ version, states }, index) => {
      const truth = history.findLast(([revision]) => revision <= version)?.[1] ?? new Map();
      const found = differencesFrom(truth, states);
      return found === undefined ? [] : [`change ${index} at version ${version}: ${JSON.stringify(found)}`];
    });
    return [...lies, ...this.#contradictions];
  }

  #held(): States {
    return new Map([...this.cache.values()].map(({ key, state }) => [key, state]));
  }

  #hear(change: Change<Seen>): void {
    this.#changes.push(change);
    const { key, was, now } = change;
    const before = this.#replayed.get(key);
    if (before !== was?.state) this.#contradictions.push(`"${key}" was ${before}, not ${was?.state}`);
    if (now === undefined) this.#replayed.delete(key);
    else this.#replayed.set(key, now.state);
    const version = Number(this.cache.resourceVersion);
    const last = this.#claims.at(-1)?.version ?? 0;
    if (version < last) this.#contradictions.push(`the cache went back from version ${last} to ${version}`);
    this.#claims.push({ version, states: this.#held() });
  }
}
