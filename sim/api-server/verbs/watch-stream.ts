// A watch: the objects at its beginning if it asks for them, then every change that its replica sees, until its time is up.
// Nothing is queued for a watcher: it reads the store's log at its own pace, and one that falls too far behind is ended.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Cancel, Clock } from "../../../src/kube/clock.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { expired, Refusal } from "../faults/status.ts";
import type { Replica } from "../replica.ts";
import type { Selects } from "../request/selectors.ts";
import type { Endpoint } from "../resource-table.ts";
import { type Bytes, eventBytes } from "../store/event-bytes.ts";
import type { Change, Store } from "../store/store.ts";

/** A watcher that has this many changes in front of it will not catch up. */
export const WATCH_BACKLOG_MAX = 10_000;
const BOOKMARK_EVERY_MS = 60_000;

export type WatchOptions = {
  readonly store: Store;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly endpoint: Endpoint;
  /** Keys of other namespaces are passed over. */
  readonly prefix: string;
  readonly selects: Selects | undefined;
  /** Sent first, as arrivals. */
  readonly initial: readonly Change[];
  /** Everything after this revision is sent as it comes. */
  readonly revision: number;
  readonly wantsBookmarks: boolean;
  /** A streamed list says when its initial events end. */
  readonly marksEnd: boolean;
  readonly timeoutMs: number;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal | undefined;
};

type Result = IteratorResult<Uint8Array>;

export class WatchStream implements AsyncIterableIterator<Uint8Array> {
  readonly #options: WatchOptions;
  readonly #stops: Cancel[] = [];
  #initialAt = 0;
  #position: number;
  #owesEnd: boolean;
  #owesBookmark = false;
  #reader: PromiseWithResolvers<Result> | undefined;
  #over: { readonly error?: Error } | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { store, replica, clock, endpoint, revision, timeoutMs, marksEnd, signal } = options;
    const abandon = () => this.#end({ error: abortedByClient() });
    signal?.addEventListener("abort", abandon);
    this.#position = store.positionBehind(endpoint.table, revision);
    this.#owesEnd = marksEnd;
    this.#stops.push(
      replica.follow(endpoint.table, () => this.#serve()),
      clock.after(timeoutMs, () => this.#end({})),
      () => signal?.removeEventListener("abort", abandon),
    );
    if (options.wantsBookmarks) this.#tendBookmarks();
    // Whoever gave up while the watch was being made will not say so again.
    if (signal?.aborted) abandon();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const reader = Promise.withResolvers<Result>();
    this.#reader = reader;
    this.#serve();
    return reader.promise;
  }

  async return(): Promise<Result> {
    this.#end({});
    return { done: true, value: undefined };
  }

  /** Hands the next event to the reader, if there is one of each. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    // Taking may end the watch, and the end serves the reader too: it must not find it here.
    this.#reader = undefined;
    const bytes = this.#over === undefined ? this.#take() : undefined;
    if (bytes === undefined && this.#over === undefined) this.#reader = reader;
    else if (bytes instanceof Uint8Array) reader.resolve({ done: false, value: bytes });
    else if (bytes !== undefined) void this.#deliver(bytes, reader);
    else if (this.#over?.error !== undefined) reader.reject(this.#over.error);
    else reader.resolve({ done: true, value: undefined });
  }

  /** A webhook that cannot convert an object ends the watch with what it said. */
  async #deliver(bytes: Promise<Uint8Array>, reader: PromiseWithResolvers<Result>): Promise<void> {
    try {
      reader.resolve({ done: false, value: await bytes });
    } catch (error) {
      const body = error instanceof Refusal ? error.body : { kind: "Status", code: 500 };
      reader.resolve({ done: false, value: eventBytes("ERROR", printJson(body)) });
      this.#end({});
    }
  }

  /** The bytes that come next; undefined when there are none for now. */
  #take(): Bytes | undefined {
    const { initial, endpoint } = this.#options;
    const first = initial[this.#initialAt];
    if (first !== undefined) {
      this.#initialAt += 1;
      return endpoint.bytes.ofArrival(first);
    }
    if (this.#owesEnd) {
      this.#owesEnd = false;
      return this.#bookmark(this.#options.revision, { "k8s.io/initial-events-end": "true" });
    }
    return this.#takeChange() ?? this.#takeBookmark();
  }

  #takeChange(): Bytes | undefined {
    const { store, replica, endpoint } = this.#options;
    if (store.endOf(endpoint.table) - this.#position > WATCH_BACKLOG_MAX) {
      this.#end({});
      return undefined;
    }
    for (;;) {
      const change = store.changeAt(endpoint.table, this.#position);
      if (change === "gone") return this.#expire();
      if (change === undefined || change.revision > replica.seen) return undefined;
      this.#position += 1;
      const bytes = this.#eventOf(change);
      if (bytes !== undefined) return bytes;
    }
  }

  /** The event that a change is to this watch; undefined when it is none. */
  #eventOf(change: Change): Bytes | undefined {
    const { endpoint, selects, prefix, revision } = this.#options;
    if (!change.key.startsWith(prefix) || change.revision <= revision) return undefined;
    if (selects === undefined) return endpoint.bytes.ofChange(change);
    const before = change.type === "ADDED" ? undefined : change.previous?.object;
    const isIn = change.type !== "DELETED" && selects(change.object);
    const wasIn = before !== undefined && selects(before);
    if (isIn) return wasIn ? endpoint.bytes.ofChange(change) : endpoint.bytes.ofArrival(change);
    if (!wasIn) return undefined;
    return change.type === "DELETED" ? endpoint.bytes.ofChange(change) : endpoint.bytes.ofDeparture(change, before);
  }

  #takeBookmark(): Bytes | undefined {
    if (!this.#owesBookmark || this.#over !== undefined) return undefined;
    this.#owesBookmark = false;
    return this.#bookmark(Math.max(this.#options.revision, this.#options.replica.seen), undefined);
  }

  #bookmark(revision: number, annotations: JsonObject | undefined): Uint8Array {
    const { type, apiVersion } = this.#options.endpoint;
    const metadata = { resourceVersion: `${revision}`, ...(annotations === undefined ? {} : { annotations }) };
    return eventBytes("BOOKMARK", printJson({ kind: type.kind, apiVersion, metadata }));
  }

  #tendBookmarks(): void {
    const cancel = this.#options.clock.after(BOOKMARK_EVERY_MS, () => {
      this.#stops.splice(this.#stops.indexOf(cancel), 1);
      this.#owesBookmark = true;
      this.#serve();
      if (this.#over === undefined) this.#tendBookmarks();
    });
    this.#stops.push(cancel);
  }

  /** The log behind this watch is compacted: it cannot know what it has missed. */
  #expire(): Uint8Array {
    this.#end({});
    return tooOld(this.#options.revision, this.#options.store.compactedTo);
  }

  #end(over: { readonly error?: Error }): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    for (const stop of this.#stops) stop();
    this.#serve();
  }
}

/** The event that ends a watch from a version that is compacted. */
export function tooOld(revision: number, compactedTo: number): Uint8Array {
  return eventBytes("ERROR", printJson(expired(`too old resource version: ${revision} (${compactedTo})`).body));
}

/** What a client that goes away sees of the rest of its stream. */
export function abortedByClient(): TransportError {
  return gone;
}

/** Made once: every process that dies leaves its watches so, and nobody asks where the error was made. */
const gone = new TransportError("broken", "the client has closed the connection");
