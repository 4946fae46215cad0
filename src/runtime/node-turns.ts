// The turns of the event loop in which connections are read. What each reads in one is taken in when the turn is over: all is decrypted first, then
// read, then decided about (docs/decisions/0006).
//
// Guarantees: a turn ends, and whoever listens is told so, also if a reader throws.
// Assumes: the turns of the event loop are those of Node, in which timers come first, then reads, then immediates.

export type TurnReader = {
  /** The turn is over: takes in what was read in it, if it has not yet. */
  takeIn(): void;
};

/** What came in a turn. */
export type Turn = {
  reads: number;
  bytes: number;
  /** Of each that has read. */
  readonly bytesOf: Map<TurnReader, number>;
};

export class Turns {
  readonly #over: (turn: Turn) => void;
  /** Undefined before it has begun, with what is read in it at the latest. */
  #turn: Turn | undefined;

  /** `over` is told of each turn after all have taken in. */
  constructor(over: (turn: Turn) => void = () => undefined) {
    this.#over = over;
  }

  /** True from when a turn has begun until it is over: what was read in it is still to be taken in. */
  get isUnderWay(): boolean {
    return this.#turn !== undefined;
  }

  /** The reader is told when the turn is over. */
  wasRead(reader: TurnReader, bytes: number): void {
    const turn = this.begin();
    turn.reads += 1;
    turn.bytes += bytes;
    turn.bytesOf.set(reader, (turn.bytesOf.get(reader) ?? 0) + bytes);
  }

  /** The turn that is under way, which ends also if nothing comes in it. */
  begin(): Turn {
    if (this.#turn !== undefined) return this.#turn;
    const turn = { reads: 0, bytes: 0, bytesOf: new Map<TurnReader, number>() };
    this.#turn = turn;
    setImmediate(() => this.#end(turn));
    return turn;
  }

  #end(turn: Turn): void {
    this.#turn = undefined;
    try {
      for (const reader of turn.bytesOf.keys()) reader.takeIn();
    } finally {
      this.#over(turn);
    }
  }
}
