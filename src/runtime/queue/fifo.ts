// First in, first out, with removal from the middle: the order in which ready keys are handed to workers.

export class Fifo<T> {
  readonly #members = new Set<T>();
  // A Set's iterator goes on to members that are added later, unless it was once asked at the end. Keeping one makes
  // `shift` O(1); a fresh one per call would walk over the holes that earlier removals left behind.
  readonly #cursor = this.#members.values();

  get size(): number {
    return this.#members.size;
  }

  /** Appends a member; one that is already inside keeps its place. */
  push(member: T): void {
    this.#members.add(member);
  }

  /** Removes and returns the member that has been inside longest. */
  shift(): T | undefined {
    if (this.#members.size === 0) return undefined;
    const next = this.#cursor.next();
    if (next.done) return undefined;
    this.#members.delete(next.value);
    return next.value;
  }

  /** Removes and returns the member before which so many others came; the further back, the longer it takes. */
  take(place: number): T | undefined {
    if (place === 0) return this.shift();
    let at = 0;
    for (const member of this.#members) {
      if (at++ < place) continue;
      this.#members.delete(member);
      return member;
    }
    return undefined;
  }

  remove(member: T): void {
    this.#members.delete(member);
  }

  /** All members, oldest first. */
  values(): Iterable<T> {
    return this.#members;
  }
}
