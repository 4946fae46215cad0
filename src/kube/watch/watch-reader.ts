// Reads one watch of a feed into the store, event by event; a streamed list is a watch that begins with all objects and
// fills a draft until a bookmark says that these were all.

import type { Verdict } from "../cache/store.ts";
import { ApiError } from "../client/api-error.ts";
import { type Query, type Resource, resourceName } from "../resource.ts";
import { isOlder } from "../resource-version.ts";
import { isBlank, type ServerStatus, type WatchEvent, type WireObject } from "../wire/codec.ts";
import { LineSplitter } from "../wire/line-splitter.ts";
import { isTooLong, type Piece } from "../wire/piece-buffer.ts";
import { AttemptFault } from "./attempt-end.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { type Feed, openFeed } from "./feed.ts";
import { type ListDraft, tooManyObjects } from "./list-draft.ts";

/** Where a watch begins: behind a version, or with a list that is adopted when it is whole. */
export type WatchStart<V> =
  | { readonly behind: string }
  | { readonly draft: ListDraft<V>; readonly adopt: (resourceVersion: string) => void };

type News = Exclude<WatchEvent, { readonly type: "ERROR" | "BROKEN" }>;

export class WatchReader<V> {
  readonly #feed: Feed<V>;
  readonly #log: AttemptLog;
  #start: WatchStart<V>;

  constructor(feed: Feed<V>, log: AttemptLog, start: WatchStart<V>) {
    this.#feed = feed;
    this.#log = log;
    this.#start = start;
  }

  /** Follows the watch until the server ends it; throws when anything else ends it. */
  async read(signal: AbortSignal): Promise<void> {
    const { limits, rand } = this.#feed;
    const spread = limits.watchMaxSeconds - limits.watchMinSeconds;
    const timeoutSeconds = limits.watchMinSeconds + Math.round(rand.next() * spread);
    // A server that does not end the watch when it was asked to may have forgotten it.
    const totalMs = timeoutSeconds * 1_000 + limits.silenceMs;
    const stream = await openFeed(this.#feed, { query: this.#query(timeoutSeconds), totalMs, signal });
    this.#log.answered();
    try {
      const lines = new LineSplitter(this.#feed.limits.objectBytesMax);
      for (let chunk = await stream.next(); chunk !== undefined; chunk = stream.ready() ?? (await stream.next())) {
        this.#feed.heard();
        const value = lines.openBytes === 0 ? stream.valueIn(chunk) : undefined;
        if (value !== undefined) this.#takeEvent(this.#feed.codec.takeEvent(value));
        else for (const line of lines.push(chunk)) this.#take(line);
        // What follows cannot make it shorter, and may never end.
        if (lines.openBytes > this.#feed.limits.objectBytesMax) throw this.#tooLong(lines.openBytes);
      }
    } finally {
      stream.close();
    }
  }

  #query(timeoutSeconds: number): Query {
    return {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds,
      ...("behind" in this.#start
        ? { resourceVersion: this.#start.behind }
        : // Without a version this is a consistent read: at least as new as the moment of the request.
          { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }),
    };
  }

  #take(line: Piece): void {
    if (isTooLong(line)) throw this.#tooLong(line.tooLongBytes);
    if (isBlank(line)) return;
    this.#takeEvent(this.#feed.codec.decodeEvent(line));
  }

  #takeEvent(event: WatchEvent): void {
    if (event.type === "BROKEN") throw new AttemptFault("Garbled", `watch line: ${event.broken}`);
    if (event.type === "ERROR") throw errorOf(event, this.#feed.resource);
    if ("behind" in this.#start) this.#apply(event, this.#start.behind);
    else this.#collect(event, this.#start.draft, this.#start.adopt);
  }

  #tooLong(bytes: number): AttemptFault {
    const limit = this.#feed.limits.objectBytesMax;
    return new AttemptFault("Garbled", `a watch line of ${bytes} bytes is longer than ${limit}`);
  }

  #collect(event: News, draft: ListDraft<V>, adopt: (resourceVersion: string) => void): void {
    if (event.type === "DELETED") draft.remove(event.wire.key);
    else if (event.type !== "BOOKMARK") draft.add(event.wire);
    else if (event.endsInitialEvents) {
      if (event.resourceVersion === "") throw new AttemptFault("Garbled", "a streamed list ends without a version");
      adopt(event.resourceVersion);
      this.#start = { behind: event.resourceVersion };
    }
  }

  #apply(event: News, behind: string): void {
    const { store } = this.#feed;
    this.#noteLife(event.type === "BOOKMARK" ? event.resourceVersion : event.wire.resourceVersion);
    if (event.type === "BOOKMARK") store.reach(event.resourceVersion);
    else if (event.type === "DELETED") store.remove(event.wire.key, event.wire.resourceVersion);
    else this.#put(event.wire, behind);
  }

  #put(wire: WireObject, behind: string): void {
    const { store } = this.#feed;
    const entry = this.#feed.read(wire);
    const verdict = entry === undefined ? this.#skip(wire) : store.put(entry);
    if (verdict === "full") throw tooManyObjects(this.#feed);
    // Up to where we began it is a replay of what we know. After that the server has broken its word on order, and only a
    // list can tell whether the object is still there.
    if (verdict === "out-of-order" && isOlder(behind, wire.resourceVersion)) {
      const seen = `after version ${store.resourceVersion} was seen`;
      throw new AttemptFault("OutOfOrder", `object "${wire.key}" came at version ${wire.resourceVersion} ${seen}`);
    }
  }

  /** An object that cannot be read keeps what we hold of it, unless that belongs to a predecessor. */
  #skip(wire: WireObject): Verdict {
    const { store } = this.#feed;
    const held = store.entry(wire.key);
    if (held !== undefined && held.uid !== wire.uid) return store.remove(wire.key, wire.resourceVersion);
    store.reach(wire.resourceVersion);
    return "known";
  }

  /**
   * Old news is no sign of a healthy stream. A replica that lags catches up in seconds; one that is stuck, or was set back,
   * sends old news for ever, so it is left as if it were silent.
   */
  #noteLife(resourceVersion: string): void {
    const { store, limits } = this.#feed;
    if (resourceVersion !== "" && !isOlder(resourceVersion, store.resourceVersion)) {
      this.#log.alive();
      this.#feed.alive();
    } else if (this.#log.sinceAliveMs >= limits.silenceMs) {
      const seen = `while version ${store.resourceVersion} was seen`;
      throw new AttemptFault("Behind", `the server is still at version ${resourceVersion} ${seen}`);
    }
  }
}

function errorOf({ code, reason, message, retryAfterMs }: ServerStatus, resource: Resource): ApiError {
  return new ApiError({ status: code, reason, message, retryAfterMs, method: "WATCH", path: resourceName(resource) });
}
