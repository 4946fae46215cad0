// The timers of a virtual clock: a binary heap in which equal times keep the order in which they were set, and from which any
// timer can be taken out again. Most timers are limits that never fire, so taking out is as frequent as putting in.

export type Timer = {
  readonly dueMs: number;
  /** Rises with every timer of a clock. */
  readonly order: number;
  readonly work: () => void;
  /** Place in the heap; -1 while outside. Only the heap writes it. */
  place: number;
};

export class TimerHeap {
  readonly #timers: Timer[] = [];

  get size(): number {
    return this.#timers.length;
  }

  /** The timer that fires next. */
  first(): Timer | undefined {
    return this.#timers[0];
  }

  add(timer: Timer): void {
    this.#seat(timer, this.#timers.length);
    this.#rise(timer);
  }

  /** Takes a timer out; one that is not inside is left alone. */
  remove(timer: Timer): void {
    const { place } = timer;
    const last = place < 0 ? undefined : this.#timers.pop();
    if (last === undefined) return;
    timer.place = -1;
    if (last === timer) return;
    this.#seat(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(timer: Timer): void {
    while (timer.place > 0) {
      const parent = this.#timers[(timer.place - 1) >>> 1];
      if (parent === undefined || isBefore(parent, timer)) return;
      this.#swap(parent, timer);
    }
  }

  #sink(timer: Timer): void {
    for (;;) {
      const left = this.#timers[2 * timer.place + 1];
      const right = this.#timers[2 * timer.place + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(timer, child)) return;
      this.#swap(timer, child);
    }
  }

  #swap(above: Timer, below: Timer): void {
    const { place } = above;
    this.#seat(above, below.place);
    this.#seat(below, place);
  }

  #seat(timer: Timer, place: number): void {
    this.#timers[place] = timer;
    timer.place = place;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
