// The store behind the server: what etcd is to the real one. One counter of revisions, every change kept until compaction,
// values immutable and shared. A write costs the same whatever the number of objects.
//
// Beside this file:
//   sorted-keys.ts                     keys in the order of lists
//   event-bytes.ts, printed-events.ts  bytes of objects and events, made once
import type { JsonObject } from "../../../src/core/json/json.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** One revision of one object. Its `previous` is the object's history; compaction cuts it. */
export type Change = {
  readonly revision: number;
  readonly table: string;
  readonly key: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object at this revision; for a deletion its last state, under the deletion's version. */
  readonly object: JsonObject;
  previous: Change | undefined;
};

export type Write = {
  readonly table: string;
  readonly key: string;
  /** Carries the version that `nextRevision` announces. */
  readonly object: JsonObject;
};

type Table = {
  readonly keys: SortedKeys;
  /** The latest change of every key, deletions included until they are compacted. */
  readonly latest: Map<string, Change>;
  /** All changes since compaction, in order. */
  log: Change[];
  /** How many changes compaction has dropped from the log: positions count from the beginning of time. */
  dropped: number;
};

export class Store {
  readonly #tables = new Map<string, Table>();
  readonly #listeners = new Set<(change: Change) => void>();
  /** Changes that listeners have not been told of: one who writes must not overtake his own cause. */
  readonly #untold: Change[] = [];
  #isTelling = false;
  #revision = 1;
  #compactedTo = 0;

  /** The newest revision. */
  get revision(): number {
    return this.#revision;
  }

  /** The revision that the next write will have. */
  get nextRevision(): number {
    return this.#revision + 1;
  }

  /** Revisions below this one cannot be read any more. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  /** Calls the listener after every write, in order, before the writer goes on; the returned function ends that. */
  onCommit(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The latest state of a key; undefined when there is no object. */
  get(table: string, key: string): Change | undefined {
    const change = this.#tables.get(table)?.latest.get(key);
    return change?.type === "DELETED" ? undefined : change;
  }

  /** Creates the object or replaces it. */
  put(write: Write): Change {
    const before = this.get(write.table, write.key);
    return this.#commit(write, before === undefined ? "ADDED" : "MODIFIED");
  }

  /** Removes the object; the write's object is its last state under the new version. */
  remove(write: Write): Change {
    return this.#commit(write, "DELETED");
  }

  /** The objects of a table at a revision, in the order of their keys. */
  *list(table: string, where: { readonly revision: number; readonly prefix: string; readonly from?: string }) {
    const { keys, latest } = this.#table(table);
    for (const key of keys.from(where.from ?? "", where.prefix)) {
      const change = asOf(latest.get(key), where.revision);
      if (change !== undefined && change.type !== "DELETED") yield change;
    }
  }

  /** The position in a table's log behind everything up to a revision. */
  positionBehind(table: string, revision: number): number {
    const { log, dropped } = this.#table(table);
    let low = 0;
    let high = log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((log[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return dropped + low;
  }

  /** The change at a position of a table's log: undefined behind its end, "gone" before its beginning. */
  changeAt(table: string, position: number): Change | "gone" | undefined {
    const { log, dropped } = this.#table(table);
    return position < dropped ? "gone" : log[position - dropped];
  }

  /** The position behind the end of a table's log. */
  endOf(table: string): number {
    const { log, dropped } = this.#table(table);
    return dropped + log.length;
  }

  /**
   * Forgets what was before a revision. Lagging readers may still need a little: what is newer than `keepFrom` stays in
   * memory, though nobody can ask for it any more.
   */
  compact(revision: number, keepFrom = revision): void {
    this.#compactedTo = Math.max(this.#compactedTo, Math.min(revision, this.#revision));
    const until = Math.min(this.#compactedTo, keepFrom);
    for (const table of this.#tables.values()) compactTable(table, until);
  }

  #commit({ table: name, key, object }: Write, type: Change["type"]): Change {
    const table = this.#table(name);
    const previous = table.latest.get(key);
    this.#revision += 1;
    const change: Change = { revision: this.#revision, table: name, key, type, object, previous };
    if (previous === undefined) table.keys.add(key);
    table.latest.set(key, change);
    table.log.push(change);
    this.#untold.push(change);
    if (!this.#isTelling) this.#tell();
    return change;
  }

  #tell(): void {
    this.#isTelling = true;
    try {
      for (let change = this.#untold.shift(); change !== undefined; change = this.#untold.shift())
        for (const listener of this.#listeners) listener(change);
    } finally {
      this.#isTelling = false;
    }
  }

  #table(name: string): Table {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table: Table = { keys: new SortedKeys(), latest: new Map(), log: [], dropped: 0 };
    this.#tables.set(name, table);
    return table;
  }
}

function asOf(latest: Change | undefined, revision: number): Change | undefined {
  let change = latest;
  while (change !== undefined && change.revision > revision) change = change.previous;
  return change;
}

function compactTable(table: Table, until: number): void {
  const gone = new Set<string>();
  let count = 0;
  for (const change of table.log) {
    if (change.revision > until) break;
    count += 1;
    // The newest state up to here stays, as the value that later changes replaced; what it replaced itself goes.
    change.previous = undefined;
    if (change.type === "DELETED" && table.latest.get(change.key) === change) gone.add(change.key);
  }
  table.log = table.log.slice(count);
  table.dropped += count;
  for (const key of gone) table.latest.delete(key);
  if (gone.size > 0) table.keys.removeAll(gone);
}
