// The objects of one resource as decisions see them: what the cache holds, together with our own writes that it has not shown yet.
// Lists by owner are kept and brought up to date by what changed, so that a decision about an unchanged fleet copies nothing.

import type { ObjectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { placeAfter } from "../../core/rollout/place-of.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { type Key, splitKey } from "../../kube/resource.ts";
import { type Ledger, withWrites } from "./ledger.ts";

/** Indexes that every cache of owned objects has. */
export type OwnerIndex = "controller";

export type SeenObjectsOptions<V extends ObjectIdentity> = {
  readonly resource: string;
  readonly cache: Pick<Cache<V | undefined, OwnerIndex>, "get" | "by" | "changes">;
  readonly ledger: Ledger;
  /** Reads an object as the cache does; it may be one that the server has not answered yet. */
  readonly parse: (object: JsonObject) => V;
};

/** The objects of one owner as they were when so many changes had been told of. */
type Kept<V> = { readonly list: readonly V[]; readonly asOf: number };

/** Changes that are remembered one by one; beyond that all lists are made anew when somebody asks for them. */
export const CHANGES_MAX = 10_000;

export class SeenObjects<V extends ObjectIdentity> {
  readonly #options: SeenObjectsOptions<V>;
  readonly #byOwner = new Map<string, Kept<V>>();
  /** Keys of what changed, in order; there may have been others before. */
  #changed: Key[] = [];
  /** How many changes there have been in all. */
  #changes = 0;

  constructor(options: SeenObjectsOptions<V>) {
    this.#options = options;
    // Of what is held as nothing only our own writes can make something, and the ledger tells of those.
    options.cache.changes(({ key, was, now }) => {
      if (was !== undefined || now !== undefined) this.#note(key);
    });
    options.ledger.changes(({ resource, key }) => {
      if (resource === options.resource) this.#note(key);
    });
  }

  /** One object; undefined when there is none. */
  get(key: Key): V | undefined {
    const { cache, ledger, resource, parse } = this.#options;
    return withWrites(cache.get(key), ledger.at(resource, key), parse);
  }

  /** The objects that the one with this UID controls, by name; the same list as before while none of them changes. */
  ofOwner(uid: string): readonly V[] {
    const kept = this.#byOwner.get(uid);
    if (kept?.asOf === this.#changes) return kept.list;
    const isOwned = ({ controllerUid }: V) => controllerUid === uid;
    const list =
      kept === undefined
        ? this.#seen(this.#options.cache.by("controller", uid), isOwned)
        : this.#broughtUp(kept, isOwned);
    if (list.length > 0) this.#byOwner.set(uid, { list, asOf: this.#changes });
    else this.#byOwner.delete(uid);
    return list;
  }

  /** Of the objects that some index of the cache found, those that are there; and those of our writes that fit as well. */
  among(found: Iterable<V | undefined>, fits: (value: V) => boolean): readonly V[] {
    return this.#seen(found, fits);
  }

  #seen(found: Iterable<V | undefined>, fits: (value: V) => boolean): readonly V[] {
    const { ledger, resource, cache } = this.#options;
    const unseen = ledger.of(resource);
    // Values are told apart by themselves: writing down a key for each of a thousand costs more than all the rest.
    const outdated = new Set(Array.from(unseen.keys(), (key) => cache.get(key)));
    const list: V[] = [];
    for (const value of found) if (value !== undefined && !outdated.has(value)) list.push(value);
    for (const key of unseen.keys()) {
      const value = this.get(key);
      if (value !== undefined && fits(value)) list.push(value);
    }
    return list.sort(byKey);
  }

  #note(key: Key): void {
    this.#changes += 1;
    this.#changed.push(key);
    if (this.#changed.length <= CHANGES_MAX) return;
    // Whoever nobody asked for meanwhile may be gone for good, and is forgotten with the rest.
    this.#byOwner.clear();
    this.#changed = [];
  }

  /** The list with what has changed since it was made: sorting a thousand names anew for every one of them would cost more than deciding. */
  #broughtUp({ list, asOf }: Kept<V>, isOwned: (value: V) => boolean): readonly V[] {
    const news = new Set(this.#changed.slice(asOf - this.#changes));
    let brought: V[] | undefined;
    for (const key of news) {
      const value = this.get(key);
      const now = value !== undefined && isOwned(value) ? value : undefined;
      const { name, namespace = "" } = splitKey(key);
      const own: Place = { name, namespace };
      const there: readonly V[] = brought ?? list;
      const place = placeAfter(there, (each) => byKey(each, own) < 0);
      const was = isAt(there[place], own) ? there[place] : undefined;
      if (was === now) continue;
      brought ??= list.slice();
      brought.splice(place, was === undefined ? 0 : 1, ...(now === undefined ? [] : [now]));
    }
    return brought ?? list;
  }
}

type Place = Pick<ObjectIdentity, "name" | "namespace">;

function isAt(value: ObjectIdentity | undefined, { name, namespace }: Place): boolean {
  return value?.name === name && value.namespace === namespace;
}

/** Code-unit order: the same everywhere, whatever the locale. */
function byKey(a: Place, b: Place): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
