// Creates of one sort begin carefully: one, then two, four and so on, so that a quota or a broken webhook costs a few refusals and
// not one per node.

/** So many refusals without a success in between, and the rest waits for the next pass. */
export const REFUSALS_MAX = 3;

export class SlowStart {
  #window = 1;
  #inFlight = 0;
  #patience = REFUSALS_MAX;

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
