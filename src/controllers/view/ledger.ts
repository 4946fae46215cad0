// Our own writes that the caches have not shown yet. Decisions are made from caches, which lag behind; a budget that is
// counted from them alone would be spent twice. Here every write counts from the moment it is sent.
//
// Guarantees: a write counts until its cache shows it, the server has refused it, or a cache must have noticed that it hears nothing;
// after that the picture is the cache's alone. A create, a delete or a withdrawal of which no answer came is not forgotten before somebody has
// asked what became of it (`doubts`). What a cache has shown never comes back, also when the answer arrives after the event.
// Caveats: it is gone with the process. Names that follow from content and UIDs in deletes are what protects across a crash.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { ObjectRef } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Key } from "../../kube/resource.ts";
import { compareVersions } from "../../kube/resource-version.ts";

/** What a write will have done to the object under its key. */
export type Write =
  | { readonly does: "create"; readonly object: JsonObject }
  | { readonly does: "delete"; readonly uid: string }
  | { readonly does: "label"; readonly uid: string; readonly labels: Labels }
  /** What somebody else has to act upon: the generation rises. */
  | { readonly does: "change" }
  /** What says that a pod serves nobody from now on. */
  | { readonly does: "withdraw"; readonly uid: string }
  /** What nobody acts upon, such as a status: only the answer tells. */
  | { readonly does: "report" };

/** Where a write goes, and for which object of ours it is made. */
export type Address = {
  readonly resource: string;
  readonly key: Key;
  readonly target: ObjectRef;
  readonly onBehalfOf: string;
};

/** The part of a cached value by which it can be told whether it shows a write. */
export type Sight = {
  readonly uid: string;
  readonly isLeaving: boolean;
  readonly labels: Labels;
  readonly generation?: number;
  /** Of a pod: since when it is ready. */
  readonly readySinceMs?: number | undefined;
};

export type LedgerEntry = Address & {
  readonly write: Write;
  /** What the cache showed when it was sent. */
  readonly before: Sight | undefined;
  /** When it is in doubt, if no answer has come; and when it is forgotten, whatever is known. */
  untilMs: number;
  endMs: number;
  /** The object as the server answered it. */
  answer: { readonly object: JsonObject; readonly version: string } | undefined;
};

export type LedgerLimits = {
  /** For a write of which no answer has come: longer than one is under way. Whether it was done, somebody has to ask then. */
  readonly unansweredMs: number;
  /** For one that was answered, or that nobody could ask about: longer than the caches need to heal whatever they have missed. */
  readonly unseenMs: number;
  /** Writes in the book; beyond that the oldest is forgotten. */
  readonly entriesMax: number;
};

export const LEDGER_LIMITS: LedgerLimits = {
  ...{ unansweredMs: 30_000, unseenMs: 660_000, entriesMax: 50_000 },
};

export type LedgerOptions = {
  readonly clock: Clock;
  /** Up to which version the cache of a resource is known; empty when there is no such cache. */
  readonly versionOf: (resource: string) => string;
  /** What that cache holds under a key. */
  readonly sightOf: (resource: string, key: Key) => Sight | undefined;
  readonly limits?: LedgerLimits;
};

type Page = Map<Key, readonly LedgerEntry[]>;

const noEntries: readonly LedgerEntry[] = Object.freeze([]);
const emptyPage: ReadonlyMap<Key, readonly LedgerEntry[]> = new Map();

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #limits: LedgerLimits;
  readonly #pages = new Map<string, Page>();
  /** All entries that count, the oldest first. */
  readonly #open = new Set<LedgerEntry>();
  readonly #listeners = new Set<(address: Address) => void>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LEDGER_LIMITS;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Notes a write that is about to be sent. */
  sending(address: Address, write: Write): LedgerEntry {
    const { clock, sightOf } = this.#options;
    const { unansweredMs, unseenMs } = this.#limits;
    const { resource, key } = address;
    const nowMs = clock.monotonicMs();
    const before = sightOf(resource, key);
    const times = { untilMs: nowMs + unansweredMs, endMs: nowMs + unseenMs };
    const entry: LedgerEntry = { ...address, write, before, ...times, answer: undefined };
    this.#open.add(entry);
    const page: Page = this.#pages.get(resource) ?? new Map();
    this.#pages.set(resource, page);
    page.set(key, [...(page.get(key) ?? noEntries), entry]);
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size > this.#limits.entriesMax) this.#close(oldest);
    this.#tell(entry);
    return entry;
  }

  /** Takes in the server's answer: from now on the object is known as it is. */
  answered(entry: LedgerEntry, object: JsonObject): void {
    if (!this.#open.has(entry)) return;
    entry.answer = { object, version: objectIdentity(object).resourceVersion };
    this.done(entry);
    if (this.#hasReached(entry) === true) this.#close(entry);
    else this.#tell(entry);
  }

  /** Takes in that the server has acted, where its answer does not say what the object is now. */
  done(entry: LedgerEntry): void {
    entry.endMs = this.#options.clock.monotonicMs() + this.#limits.unseenMs;
    entry.untilMs = entry.endMs;
  }

  /** Takes in what a read finds in place of an answer that never came; undefined for nothing. */
  found(entry: LedgerEntry, object: JsonObject | undefined): void {
    const { write } = entry;
    if (object === undefined) {
      if (write.does === "delete") this.done(entry);
      else this.#close(entry);
      return;
    }
    const { uid, isLeaving } = objectIdentity(object);
    const isUntouched = write.does === "delete" && write.uid === uid && !isLeaving;
    if (isUntouched) this.#close(entry);
    else this.answered(entry, object);
  }

  /** Takes in that nobody could find out what became of a write: it counts on, and is in doubt again later. */
  unknown(entry: LedgerEntry): void {
    entry.untilMs = Math.min(entry.endMs, this.#options.clock.monotonicMs() + this.#limits.unansweredMs);
  }

  /** Takes in that the server certainly did not act. */
  refused(entry: LedgerEntry): void {
    this.#close(entry);
  }

  /** Takes in what a cache now shows under a key. To be told of every change, after the cache has it. */
  shown(resource: string, key: Key, sight: Sight | undefined): void {
    for (const entry of this.at(resource, key)) {
      if (this.#hasReached(entry) ?? shows(sight, entry)) this.#close(entry);
    }
  }

  /** Forgets what has been there too long, and what a cache has reached without a change of that object. */
  sweep(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const entry of this.#open) {
      const endMs = isWorthAsking(entry) ? entry.endMs : entry.untilMs;
      if (endMs <= nowMs || this.#hasReached(entry) === true) this.#close(entry);
    }
  }

  /** The writes made for an object of which no answer came in time, and of which somebody has to ask what became of them. */
  doubts(onBehalfOf: string): readonly LedgerEntry[] {
    const nowMs = this.#options.clock.monotonicMs();
    return [...this.#open].filter(
      (entry) => entry.onBehalfOf === onBehalfOf && entry.untilMs <= nowMs && isWorthAsking(entry),
    );
  }

  /** The writes to one object that count, in the order of sending. */
  at(resource: string, key: Key): readonly LedgerEntry[] {
    return this.#pages.get(resource)?.get(key) ?? noEntries;
  }

  /** All writes to a resource that count, by key. */
  of(resource: string): ReadonlyMap<Key, readonly LedgerEntry[]> {
    return this.#pages.get(resource) ?? emptyPage;
  }

  /** The monotonic instant at which the first write made for an object stops to count or is in doubt; undefined when there is none. */
  nextEndMs(onBehalfOf: string): number | undefined {
    let endMs: number | undefined;
    for (const entry of this.#open) {
      if (entry.onBehalfOf === onBehalfOf) endMs = Math.min(entry.untilMs, endMs ?? entry.untilMs);
    }
    return endMs;
  }

  /** Calls the listener whenever the writes to an object change, until the returned function is called. */
  changes(listener: (address: Address) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether the cache stands at the write or later; undefined while nobody can tell. */
  #hasReached({ resource, answer }: LedgerEntry): boolean | undefined {
    if (answer === undefined) return undefined;
    const order = compareVersions(this.#options.versionOf(resource), answer.version);
    return order === undefined ? undefined : order >= 0;
  }

  #close(entry: LedgerEntry): void {
    if (!this.#open.delete(entry)) return;
    const page = this.#pages.get(entry.resource);
    const others = (page?.get(entry.key) ?? noEntries).filter((other) => other !== entry);
    if (others.length > 0) page?.set(entry.key, others);
    else page?.delete(entry.key);
    this.#tell(entry);
  }

  #tell(address: Address): void {
    for (const listener of this.#listeners) listener(address);
  }
}

/** Whether it would do harm to forget what was done: all else is decided upon anew and written again, which changes nothing. */
function isWorthAsking({ write }: LedgerEntry): boolean {
  return write.does === "create" || write.does === "delete" || write.does === "withdraw";
}

/** A cached value as it will be once the writes are in the cache; undefined when there is and will be none. */
export function withWrites<V extends Sight>(
  cached: V | undefined,
  entries: readonly LedgerEntry[],
  parse: (object: JsonObject) => V,
): V | undefined {
  return entries.reduce(
    (value: V | undefined, entry) =>
      entry.answer === undefined ? imagine(value, entry, parse) : parse(entry.answer.object),
    cached,
  );
}

/** The value after a write of which no answer has come. */
function imagine<V extends Sight>(
  value: V | undefined,
  { write, before }: LedgerEntry,
  parse: (object: JsonObject) => V,
): V | undefined {
  if (write.does === "create") {
    // What was there and does not leave keeps its name, and the server refuses the other: to hide it would let nobody count on it.
    const isSuccessor = value === undefined || (value.uid === before?.uid && value.isLeaving);
    return isSuccessor ? parse(write.object) : value;
  }
  if (value === undefined) return undefined;
  switch (write.does) {
    case "delete":
      return value.uid === write.uid ? { ...value, isLeaving: true } : value;
    case "label":
      return value.uid === write.uid ? { ...value, labels: { ...value.labels, ...write.labels } } : value;
    case "change":
      // What it holds is not known before the answer. That nobody has looked at it yet is.
      return value.generation === undefined ? value : { ...value, generation: value.generation + 1 };
    case "withdraw":
      return value.uid === write.uid ? { ...value, readySinceMs: undefined } : value;
    case "report":
      return value;
  }
}

/** Whether a cached value can only be as it is after the write, or the object that was meant is not there any more. */
function shows(sight: Sight | undefined, { write, before }: LedgerEntry): boolean {
  switch (write.does) {
    case "create":
      return sight !== undefined && sight.uid !== before?.uid;
    case "delete":
      return sight?.uid !== write.uid || sight.isLeaving;
    case "label":
      return sight?.uid !== write.uid || holds(sight.labels, write.labels);
    case "change":
      return sight?.uid !== before?.uid || (sight?.generation ?? 0) > (before?.generation ?? 0);
    case "withdraw":
      return sight?.uid !== write.uid || sight.readySinceMs === undefined;
    case "report":
      return sight === undefined;
  }
}

function holds(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
