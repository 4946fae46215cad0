// The keys of a table in the order in which lists show them. Adding is cheap and independent of the number of keys: new keys
// wait unsorted until somebody reads in order.

export class SortedKeys {
  #sorted: string[] = [];
  #waiting: string[] = [];

  /** Adds a key that is not there. */
  add(key: string): void {
    this.#waiting.push(key);
  }

  /** Drops keys; costs a pass over all of them, so it is done for many at once. */
  removeAll(keys: ReadonlySet<string>): void {
    this.#settle();
    this.#sorted = this.#sorted.filter((key) => !keys.has(key));
  }

  /** The keys that start with a prefix, in order, from a key on. */
  *from(start: string, prefix: string): Iterable<string> {
    this.#settle();
    const sorted = this.#sorted;
    for (let at = placeOf(sorted, start > prefix ? start : prefix); at < sorted.length; at++) {
      const key = sorted[at];
      if (key === undefined || !key.startsWith(prefix)) return;
      yield key;
    }
  }

  #settle(): void {
    if (this.#waiting.length === 0) return;
    this.#sorted = merged(this.#sorted, this.#waiting.sort());
    this.#waiting = [];
  }
}

/** The first place whose key is not below the given one. */
function placeOf(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function merged(left: readonly string[], right: readonly string[]): string[] {
  const all: string[] = [];
  let at = 0;
  for (const key of right) {
    for (let next = left[at]; next !== undefined && next < key; next = left[at]) {
      all.push(next);
      at += 1;
    }
    all.push(key);
  }
  for (; at < left.length; at++) all.push(left[at] ?? "");
  return all;
}
