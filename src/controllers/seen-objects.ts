// The objects of one resource as decisions see them: what the cache holds, together with our own writes that it has not shown yet.
// Lists by owner are kept until one of their objects changes, so that a decision about an unchanged fleet copies nothing.
import type { JsonObject } from "../core/json.ts";
import type { ObjectIdentity } from "../core/object-identity.ts";
import type { Cache } from "../kube/cache.ts";
import type { Key } from "../kube/resource.ts";
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

export class SeenObjects<V extends ObjectIdentity> {
  readonly #options: SeenObjectsOptions<V>;
  readonly #byOwner = new Map<string, readonly V[]>();

  constructor(options: SeenObjectsOptions<V>) {
    this.#options = options;
    options.cache.changes(({ was, now }) => {
      for (const value of [was, now]) if (value?.controllerUid !== undefined) this.#byOwner.delete(value.controllerUid);
    });
    options.ledger.changes(({ resource }) => {
      if (resource === options.resource) this.#byOwner.clear();
    });
  }

  /** One object; undefined when there is none. */
  get(key: Key): V | undefined {
    const { cache, ledger, resource, parse } = this.#options;
    return withWrites(cache.get(key), ledger.at(resource, key), parse);
  }

  /** The objects that the one with this UID controls, by name; the same list as before while none of them changes. */
  ofOwner(uid: string): readonly V[] {
    const known = this.#byOwner.get(uid);
    if (known !== undefined) return known;
    const list = this.#seen(this.#options.cache.by("controller", uid), (value) => value.controllerUid === uid);
    if (list.length > 0) this.#byOwner.set(uid, list);
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
}

/** Code-unit order: the same everywhere, whatever the locale. */
function byKey(a: ObjectIdentity, b: ObjectIdentity): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
