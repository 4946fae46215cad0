// Things that become due: a binary heap ordered by due time, from which any member can be taken out again.
// The work queue keeps its delayed keys here, so one timer serves them all.

/** A member remembers its own place, so that moving it costs O(log n) and leaves no dead entry behind. */
export type Delayed = {
  dueMs: number;
  /** Place in the heap; -1 while outside. Only the heap writes it. */
  place: number;
};

export class DelayHeap<T extends Delayed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The member that is due first; members with equal times come in no promised order. */
  first(): T | undefined {
    return this.#members[0];
  }

  /** Adds a member, or moves one that is already inside to its changed due time. */
  put(member: T): void {
    if (member.place < 0) {
      member.place = this.#members.length;
      this.#members.push(member);
    }
    this.#rise(member);
    this.#sink(member);
  }

  /** Takes a member out; one that is not inside is left alone. */
  remove(member: T): void {
    const last = this.#members.at(-1);
    const place = member.place;
    if (place < 0 || last === undefined) return;
    this.#members.pop();
    member.place = -1;
    if (last === member) return;
    this.#seat(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(member: T): void {
    while (member.place > 0) {
      const parent = this.#members[(member.place - 1) >>> 1];
      if (parent === undefined || parent.dueMs <= member.dueMs) return;
      this.#swap(parent, member);
    }
  }

  #sink(member: T): void {
    for (;;) {
      const left = this.#members[2 * member.place + 1];
      const right = this.#members[2 * member.place + 2];
      const child = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || member.dueMs <= child.dueMs) return;
      this.#swap(member, child);
    }
  }

  #swap(above: T, below: T): void {
    const abovePlace = above.place;
    this.#seat(above, below.place);
    this.#seat(below, abovePlace);
  }

  #seat(member: T, place: number): void {
    this.#members[place] = member;
    member.place = place;
  }
}
