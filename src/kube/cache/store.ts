// What we know of one resource: its objects by key, found by secondary indexes too, and the version up to which we know it.
// The reflector writes it, everybody else reads. It never goes backwards and is never cleared: a relist is a diff.
//
// Guarantees: between two calls it equals the resource at one version; listeners hear of a change after all of it is done.
// Caveats: it does not outgrow `objectsMax`; a put beyond that is refused and the caller must say so loudly.
import type { Key } from "../resource.ts";
import { compareVersions, isOlder } from "../resource-version.ts";
import { SecondaryIndex, type TermsOf } from "./secondary-index.ts";
import { VersionWaiters } from "./version-waiters.ts";

/** One state of one object. */
export type Entry<V> = {
  readonly key: Key;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly value: V;
  /** Per index, in the store's order. Kept, so that an entry always leaves the places it was put into. */
  readonly terms: readonly (readonly string[])[];
};

/** A value that came (`now` alone), went (`was` alone) or became another (both, of the same UID). */
export type Change<V> = {
  readonly key: Key;
  readonly was: V | undefined;
  readonly now: V | undefined;
  /** Part of the first list: it may have been so for long. */
  readonly initial: boolean;
  /** Of a value that went: the version at which it did. Absent where only a later list tells of it. */
  readonly goneAt?: string;
};

export type Listener<V> = (change: Change<V>) => void;

/**
 * - `done`: the store holds the news.
 * - `known`: the store holds the same or something newer.
 * - `out-of-order`: it is older than what the store has seen, and only a list can tell whether it is still true.
 * - `full`: there is no room.
 */
export type Verdict = "done" | "known" | "out-of-order" | "full";

export type StoreOptions<V, I extends string> = {
  readonly indexes: Readonly<Record<I, TermsOf<V>>>;
  readonly objectsMax: number;
  /** A listener that throws is reported here and harms nobody else. */
  readonly listenerFailed: (error: unknown, change: Change<V>) => void;
};

const NO_TERMS: readonly string[] = [];

export class Store<V, I extends string = string> {
  readonly #options: StoreOptions<V, I>;
  readonly #entries = new Map<Key, Entry<V>>();
  readonly #indexNames: readonly I[];
  readonly #indexes: readonly SecondaryIndex<Entry<V>>[];
  readonly #listeners = new Set<Listener<V>>();
  readonly #waiters = new VersionWaiters();
  #version = "";

  constructor(options: StoreOptions<V, I>) {
    this.#options = options;
    this.#indexNames = Object.keys(options.indexes) as I[];
    this.#indexes = this.#indexNames.map(() => new SecondaryIndex());
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The version up to which everything is known; "" before the first list. */
  get resourceVersion(): string {
    return this.#version;
  }

  entry(key: Key): Entry<V> | undefined {
    return this.#entries.get(key);
  }

  *values(): Generator<V, void> {
    for (const entry of this.#entries.values()) yield entry.value;
  }

  *by(index: I, term: string): Generator<V, void> {
    for (const entry of this.#index(index).entries(term)) yield entry.value;
  }

  count(index: I, term: string): number {
    return this.#index(index).count(term);
  }

  /** What the indexes say of a value. The functions are the caller's and may throw, so they run before anything is stored. */
  termsOf(value: V): readonly (readonly string[])[] {
    return this.#indexNames.map((name) => this.#options.indexes[name](value));
  }

  /** Takes in one state of an object, unless it is old news. Another UID under the same key is another object. */
  put(entry: Entry<V>): Verdict {
    const held = this.#entries.get(entry.key);
    const verdict = this.#judge(entry, held);
    if (verdict !== "done") return verdict;
    this.#swap(held, entry);
    this.#advance(entry.resourceVersion);
    this.#tell(noteChange([], held, entry, false));
    return "done";
  }

  /** Takes in that the key was empty at this version. */
  remove(key: Key, resourceVersion: string): Verdict {
    const held = this.#entries.get(key);
    if (held !== undefined && isOlder(resourceVersion, held.resourceVersion)) return "known";
    if (held !== undefined) this.#swap(held, undefined);
    this.#advance(resourceVersion);
    if (held === undefined) return "known";
    this.#tell([{ key, was: held.value, now: undefined, initial: false, goneAt: resourceVersion }]);
    return "done";
  }

  /** Makes the store equal to a whole list. The caller answers for the list being as new as what was seen before. */
  replace(list: ReadonlyMap<Key, Entry<V>>, resourceVersion: string): void {
    const isFirst = this.#version === "";
    const changes: Change<V>[] = [];
    for (const held of this.#entries.values()) {
      if (list.has(held.key)) continue;
      this.#swap(held, undefined);
      noteChange(changes, held, undefined, isFirst);
    }
    for (const entry of list.values()) {
      const held = this.#entries.get(entry.key);
      if (held === entry) continue;
      this.#swap(held, entry);
      noteChange(changes, held, entry, isFirst);
    }
    this.#version = resourceVersion;
    this.#waiters.relisted(resourceVersion);
    this.#tell(changes);
  }

  /** How many of the objects held would go if this list came in. */
  missingFrom(list: ReadonlyMap<Key, unknown>): number {
    let missing = 0;
    for (const key of this.#entries.keys()) if (!list.has(key)) missing += 1;
    return missing;
  }

  /** Takes in that there is no other news up to this version. */
  reach(resourceVersion: string): void {
    this.#advance(resourceVersion);
  }

  /** Resolves once everything up to a version is known, so that a writer can read its own write. */
  observed(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const order = compareVersions(this.#version, resourceVersion);
    return order !== undefined && order >= 0 ? Promise.resolve() : this.#waiters.wait(resourceVersion, signal);
  }

  /** Calls the listener for every later change until the returned function is called. */
  changes(listener: Listener<V>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #judge(entry: Entry<V>, held: Entry<V> | undefined): Verdict {
    if (held === undefined) {
      if (isOlder(entry.resourceVersion, this.#version)) return "out-of-order";
      return this.#entries.size >= this.#options.objectsMax ? "full" : "done";
    }
    const order = compareVersions(entry.resourceVersion, held.resourceVersion);
    return order === undefined || order > 0 ? "done" : "known";
  }

  #swap(held: Entry<V> | undefined, entry: Entry<V> | undefined): void {
    if (entry !== undefined) this.#entries.set(entry.key, entry);
    else if (held !== undefined) this.#entries.delete(held.key);
    for (let place = 0; place < this.#indexes.length; place++) {
      const index = this.#indexes[place];
      const termsBefore = held?.terms[place] ?? NO_TERMS;
      if (entry !== undefined) index?.put(entry, entry.terms[place] ?? NO_TERMS, termsBefore);
      else if (held !== undefined) index?.remove(held.key, termsBefore);
    }
  }

  /** Where versions have no order the latest to arrive counts as the newest. */
  #advance(resourceVersion: string): void {
    const order = compareVersions(resourceVersion, this.#version);
    if (resourceVersion === "" || (order !== undefined && order <= 0)) return;
    this.#version = resourceVersion;
    this.#waiters.reached(resourceVersion);
  }

  #tell(changes: readonly Change<V>[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch (error) {
          this.#options.listenerFailed(error, change);
        }
      }
    }
  }

  #index(name: I): SecondaryIndex<Entry<V>> {
    const index = this.#indexes[this.#indexNames.indexOf(name)];
    if (index === undefined) throw new Error(`there is no index "${name}"; there is: ${this.#indexNames.join(", ")}`);
    return index;
  }
}

/** Adds what happened to a key to a list of changes. */
function noteChange<V>(
  changes: Change<V>[],
  held: Entry<V> | undefined,
  entry: Entry<V> | undefined,
  initial: boolean,
): readonly Change<V>[] {
  const key = held?.key ?? entry?.key;
  if (key === undefined) return changes;
  if (held !== undefined && entry !== undefined && held.uid !== entry.uid) {
    changes.push({ key, was: held.value, now: undefined, initial }, { key, was: undefined, now: entry.value, initial });
  } else {
    changes.push({ key, was: held?.value, now: entry?.value, initial });
  }
  return changes;
}
