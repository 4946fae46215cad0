// Creates of one sort begin carefully: one, then two, four and so on, so that a quota or a broken webhook costs a few refusals and
// not one per node. What one pass has proven, the next one need not prove again.

/** So many refusals without a success in between, and the rest waits for the next pass. */
export const REFUSALS_MAX = 3;
/** How many a pass sends at once, at most, because the last one of their sort went well: so many refusals a quota that is now full may cost. */
export const PROVEN_MAX = 16;
/** Sorts of which the last pass is remembered. */
export const SORTS_MAX = 1_000;

/** The slow starts of all passes of a kind. */
export class SlowStarts {
  readonly #last = new Map<string, SlowStart>();

  /** The start of a pass with creates of this sort. */
  begin(sort: string): SlowStart {
    const start = new SlowStart(Math.min(this.#last.get(sort)?.window ?? 1, PROVEN_MAX));
    this.#last.delete(sort);
    this.#last.set(sort, start);
    const [oldest] = this.#last.keys();
    if (oldest !== undefined && this.#last.size > SORTS_MAX) this.#last.delete(oldest);
    return start;
  }
}

export class SlowStart {
  #window: number;
  #inFlight = 0;
  #patience = REFUSALS_MAX;

  constructor(window: number) {
    this.#window = window;
  }

  /** How many may be under way at once. */
  get window(): number {
    return this.#window;
  }

  /** Whether another one may be sent now. */
  get hasRoom(): boolean {
    return this.#inFlight < this.#window;
  }

  /** Whether no more of the sort should be tried in this pass. */
  get isOver(): boolean {
    return this.#patience === 0;
  }

  sent(): void {
    this.#inFlight += 1;
  }

  /** One more per success doubles what is in flight with every round. */
  succeeded(): void {
    this.#inFlight -= 1;
    this.#window += 1;
    this.#patience = REFUSALS_MAX;
  }

  refused(): void {
    this.#inFlight -= 1;
    this.#window = 1;
    this.#patience = Math.max(0, this.#patience - 1);
  }
}
