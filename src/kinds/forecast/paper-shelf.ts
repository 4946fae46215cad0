// Objects of one resource in a cluster on paper: as JSON, and as decisions read them, found by name and by owner.

import type { ObjectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";

type Entry<V> = { readonly object: JsonObject; readonly value: V };

/** `namespace/name`; a leading slash for what lies in no namespace. */
export type PaperKey = string;

export class PaperShelf<V extends ObjectIdentity> {
  readonly #parse: (object: JsonObject) => V;
  readonly #entries = new Map<PaperKey, Entry<V>>();
  readonly #byOwner = new Map<string, Set<PaperKey>>();
  /** Values in the order of their names, of all and of each owner; whoever changes one throws its list away. */
  #sorted: readonly V[] | undefined;
  readonly #sortedByOwner = new Map<string, readonly V[]>();
  readonly #fresh = new Set<PaperKey>();
  /** How often something was put or removed. */
  changes = 0;

  constructor(parse: (object: JsonObject) => V) {
    this.#parse = parse;
  }

  /** All values, in the order of their names. */
  values(): readonly V[] {
    this.#sorted ??= this.#inOrder(this.#entries.keys());
    return this.#sorted;
  }

  objects(): readonly JsonObject[] {
    return [...this.#entries.values()].map(({ object }) => object);
  }

  get(key: PaperKey): V | undefined {
    return this.#entries.get(key)?.value;
  }

  object(key: PaperKey): JsonObject | undefined {
    return this.#entries.get(key)?.object;
  }

  /** What the object with this UID controls, in the order of names. */
  ofOwner(uid: string): readonly V[] {
    const known = this.#sortedByOwner.get(uid);
    if (known !== undefined) return known;
    const sorted = this.#inOrder(this.#byOwner.get(uid) ?? []);
    this.#sortedByOwner.set(uid, sorted);
    return sorted;
  }

  /** What was put since the last time somebody asked and is still there, in the order of names. */
  takeFresh(): readonly V[] {
    const fresh = this.#inOrder(this.#fresh);
    this.#fresh.clear();
    return fresh;
  }

  /** Puts an object in the place of the one of its name. */
  put(object: JsonObject): V {
    const value = this.#parse(object);
    const key = keyOf(value);
    this.remove(key);
    this.#entries.set(key, { object, value });
    this.#fresh.add(key);
    if (value.controllerUid !== undefined) {
      const owned = this.#byOwner.get(value.controllerUid) ?? new Set();
      this.#byOwner.set(value.controllerUid, owned.add(key));
      this.#sortedByOwner.delete(value.controllerUid);
    }
    return value;
  }

  remove(key: PaperKey): void {
    this.changes += 1;
    this.#sorted = undefined;
    const owner = this.#entries.get(key)?.value.controllerUid;
    if (owner !== undefined) {
      this.#byOwner.get(owner)?.delete(key);
      this.#sortedByOwner.delete(owner);
    }
    this.#entries.delete(key);
  }

  #inOrder(keys: Iterable<PaperKey>): readonly V[] {
    return [...keys].sort().flatMap((key) => this.#entries.get(key)?.value ?? []);
  }
}

/** Where an object stands. */
export function keyOf({ namespace, name }: Pick<ObjectIdentity, "namespace" | "name">): PaperKey {
  return `${namespace}/${name}`;
}
