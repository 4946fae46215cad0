// A list while it comes in. Nothing of it is visible before it is whole: halves of two lists never mix, and readers never
// see a state that the resource was not in.

import type { Entry } from "../cache/store.ts";
import { type Key, resourceName } from "../resource.ts";
import type { WireObject } from "../wire/codec.ts";
import { AttemptFault } from "./attempt-end.ts";
import type { Feed } from "./feed.ts";

export class ListDraft<V> {
  readonly #feed: Feed<V>;
  readonly #reusesEntries: boolean;
  readonly #entries = new Map<Key, Entry<V>>();

  /** Entries of the same UID and version are taken from the store, unless versions may have been given out twice. */
  constructor(feed: Feed<V>, { reusesEntries }: { readonly reusesEntries: boolean }) {
    this.#feed = feed;
    this.#reusesEntries = reusesEntries;
  }

  get entries(): ReadonlyMap<Key, Entry<V>> {
    return this.#entries;
  }

  /** Notes an object; one that cannot be read keeps what the store holds of it. Throws when there are too many. */
  add(wire: WireObject): void {
    const held = this.#feed.store.entry(wire.key);
    const isSameObject = held?.uid === wire.uid;
    const isSameState = this.#reusesEntries && isSameObject && held?.resourceVersion === wire.resourceVersion;
    const entry = isSameState ? held : (this.#feed.read(wire) ?? (isSameObject ? held : undefined));
    if (entry === undefined) return;
    this.#entries.set(entry.key, entry);
    const { objectsMax } = this.#feed.limits;
    if (this.#entries.size > objectsMax) throw tooManyObjects(this.#feed);
  }

  remove(key: Key): void {
    this.#entries.delete(key);
  }
}

/** The end of an attempt that brought more objects than may be held. */
export function tooManyObjects<V>(feed: Feed<V>): AttemptFault {
  const remedy = "narrow the selector or raise objectsMax";
  return new AttemptFault(
    "TooManyObjects",
    `there are more than ${feed.limits.objectsMax} ${resourceName(feed.resource)}; ${remedy}`,
  );
}
