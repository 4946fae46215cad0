// Finds the entries of a store by something other than their key: an owner's UID, a label's value, a place.
import type { Key } from "../resource.ts";

/** The terms under which a value can be found; none means that the index does not list it. */
export type TermsOf<V> = (value: V) => readonly string[];

export class SecondaryIndex<E extends { readonly key: Key }> {
  readonly #buckets = new Map<string, Map<Key, E>>();

  /** Lists an entry under its terms and no longer under those that only its predecessor had. */
  put(entry: E, terms: readonly string[], termsBefore: readonly string[]): void {
    for (const term of termsBefore) if (!terms.includes(term)) this.#remove(entry.key, term);
    for (const term of terms) this.#bucket(term).set(entry.key, entry);
  }

  /** Takes an entry off the list of each of its terms. */
  remove(key: Key, terms: readonly string[]): void {
    for (const term of terms) this.#remove(key, term);
  }

  /** The entries under a term, in the order in which they came to it. */
  entries(term: string): Iterable<E> {
    return this.#buckets.get(term)?.values() ?? [];
  }

  count(term: string): number {
    return this.#buckets.get(term)?.size ?? 0;
  }

  #bucket(term: string): Map<Key, E> {
    const known = this.#buckets.get(term);
    if (known !== undefined) return known;
    const made = new Map<Key, E>();
    this.#buckets.set(term, made);
    return made;
  }

  #remove(key: Key, term: string): void {
    const bucket = this.#buckets.get(term);
    bucket?.delete(key);
    // An empty bucket goes: terms such as UIDs never come back, and would be kept for ever.
    if (bucket?.size === 0) this.#buckets.delete(term);
  }
}
