// While much comes in small pieces, all connections are read on a beat: whoever is woken for each event and each answer pays more for waking than for
// what it reads (docs/decisions/0006). What comes alone is read at once, and so is what comes in bulk.
//
// Guarantees: nobody rests for longer than the longest beat, and nobody rests once little comes. What was read is taken in when the turn is over, and
// before anybody rests.
// Assumes: the turns of the event loop are those of Node, in which timers come first, then reads, then immediates.
// Caveats: what the client measures as the time of an answer includes the rest of a beat, and so does the time until a close of the server is seen.
import type { Cancel, Clock } from "../kube/clock.ts";

/** With so many in a beat, much comes: turns of the event loop that brought something while nobody rests, reads while all do. */
export const BUSY_MIN = 8;
/** Turns that bring more than this on average are worth waking for: this is a list, and not a trickle of events. */
export const SMALL_TURN_BYTES_MAX = 32 * 1024;
/** A connection that brings so much in a turn has more: it rests after a turn that brings less. */
export const BULK_BYTES_MIN = 64 * 1024;
/** No beat is shorter. */
export const BEAT_MS_MIN = 10;
/** Of the requests under way: where a beat answers more, the server had almost nothing of ours left to do, and the next beat is shorter. */
const ANSWERED_SHARE_MAX = 0.75;
/** Where a beat answers less, the next one is longer. */
const ANSWERED_SHARE_MIN = 0.5;
const SHORTER = 0.75;
const LONGER = 1.25;

/** A connection that is read on the beat. */
export type BeatReader = {
  /** The turn is over: takes in what was read in it, if it has not yet. */
  takeIn(): void;
  /** Reads nothing until it reads on; to be told twice is to be told once. */
  rest(): void;
  readOn(): void;
};

/** What came since the beat began. */
type Tally = { turns: number; reads: number; bytes: number; answers: number };

export class ReadBeat {
  readonly #clock: Clock;
  readonly #beatMsMax: number;
  readonly #readers = new Set<BeatReader>();
  #beatMs: number;
  #tally = nothing();
  /** How much each connection brought in this turn of the event loop; undefined before the first has brought anything. */
  #turn: Map<BeatReader, number> | undefined;
  /** Requests without an answer. */
  #underWay = 0;
  #isResting = false;
  #cancel: Cancel | undefined;

  /** `beatMsMax` is how late an event or an answer may be read while much comes; with 0 nobody ever rests. */
  constructor(clock: Clock, beatMsMax: number) {
    this.#clock = clock;
    this.#beatMsMax = beatMsMax;
    this.#beatMs = beatMsMax;
  }

  join(reader: BeatReader): void {
    this.#readers.add(reader);
  }

  leave(reader: BeatReader): void {
    this.#readers.delete(reader);
  }

  /** A request was sent. */
  asked(): void {
    this.#underWay += 1;
  }

  /** Its answer begins, or none will come. */
  answered(): void {
    this.#underWay -= 1;
    this.#tally.answers += 1;
  }

  /** The reader is told when the turn is over. */
  wasRead(reader: BeatReader, bytes: number): void {
    this.#tally.reads += 1;
    this.#tally.bytes += bytes;
    if (!this.#isResting && this.#beatMsMax > 0) this.#begin();
    this.#turn ??= this.#beginTurn();
    this.#turn.set(reader, (this.#turn.get(reader) ?? 0) + bytes);
  }

  /** All connections are closed. Who is connected anew begins as the first did. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isResting = false;
    this.#tally = nothing();
  }

  #begin(): void {
    const ms = this.#isResting ? this.#beatMs : this.#beatMsMax;
    this.#cancel ??= this.#clock.after(ms, () => this.#strike());
  }

  #beginTurn(): Map<BeatReader, number> {
    const turn = new Map<BeatReader, number>();
    this.#tally.turns += 1;
    setImmediate(() => {
      takeInAll(turn);
      if (this.#isResting) this.#rest(turn.keys());
      this.#turn = undefined;
    });
    return turn;
  }

  #strike(): void {
    this.#cancel = undefined;
    if (this.#isResting) this.#readAll();
    else this.#restIf(isTrickle(this.#tally));
  }

  /** One turn for all that has come; then they rest again, unless it was little. */
  #readAll(): void {
    const asked = this.#underWay;
    this.#tally = nothing();
    for (const reader of this.#readers) reader.readOn();
    setImmediate(() => {
      // Whoever got its whole answer waits for nothing any more and is not to rest.
      takeInAll(this.#turn);
      this.#beatMs = nextBeatMs(this.#beatMs, this.#beatMsMax, this.#tally.answers, asked);
      this.#restIf(this.#tally.reads >= BUSY_MIN);
    });
  }

  #restIf(isBusy: boolean): void {
    const wasResting = this.#isResting;
    this.#isResting = isBusy;
    this.#tally = nothing();
    if (isBusy) {
      this.#rest(this.#readers);
      this.#begin();
    } else if (wasResting) {
      for (const reader of this.#readers) reader.readOn();
    }
  }

  /** All but those that have just brought much. */
  #rest(readers: Iterable<BeatReader>): void {
    for (const reader of readers) if ((this.#turn?.get(reader) ?? 0) < BULK_BYTES_MIN) reader.rest();
  }
}

function takeInAll(turn: ReadonlyMap<BeatReader, number> | undefined): void {
  for (const reader of turn?.keys() ?? []) reader.takeIn();
}

function nothing(): Tally {
  return { turns: 0, reads: 0, bytes: 0, answers: 0 };
}

function isTrickle({ turns, bytes }: Tally): boolean {
  return turns >= BUSY_MIN && bytes <= turns * SMALL_TURN_BYTES_MAX;
}

/** A beat should be as long as the server always has something of ours to do. */
function nextBeatMs(beatMs: number, beatMsMax: number, answers: number, asked: number): number {
  if (answers > asked * ANSWERED_SHARE_MAX) return Math.max(BEAT_MS_MIN, beatMs * SHORTER);
  return answers < asked * ANSWERED_SHARE_MIN || asked === 0 ? Math.min(beatMsMax, beatMs * LONGER) : beatMs;
}
