// While much comes in small pieces, all connections are read on a beat: whoever is woken for each event and each answer pays more for waking than for
// what it reads (docs/decisions/0006). What comes alone is read at once, and so is what comes in bulk.
//
// Guarantees: nobody rests for longer than the longest beat, and nobody rests once little comes. Who rests has taken in what it read.
// Caveats: what the client measures as the time of an answer includes the rest of a beat, and so does the time until a close of the server is seen.
import type { Cancel, Clock } from "../kube/clock.ts";
import { type Turn, type TurnReader, Turns } from "./node-turns.ts";

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
export type BeatReader = TurnReader & {
  /** Reads nothing until it reads on; to be told twice is to be told once. */
  rest(): void;
  readOn(): void;
};

/** What came since the beat began: turns and bytes while nobody rests, answers while all do. */
type Tally = { turns: number; bytes: number; answers: number };

export class ReadBeat {
  /** In which all that are read on the beat are read. */
  readonly turns = new Turns<BeatReader>((turn) => this.#turnIsOver(turn));
  readonly #clock: Clock;
  readonly #beatMsMax: number;
  readonly #readers = new Set<BeatReader>();
  #beatMs: number;
  #tally = nothing();
  /** Requests without an answer. */
  #underWay = 0;
  /** How many those were when the beat struck; undefined but in the turn in which all are read. */
  #asked: number | undefined;
  #isResting = false;
  #cancel: Cancel | undefined;

  /** `beatMsMax` is how late an event or an answer may be read while much comes. */
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

  /** All connections are closed. Who is connected anew begins as the first did. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isResting = false;
    this.#asked = undefined;
    this.#tally = nothing();
  }

  #begin(): void {
    const ms = this.#isResting ? this.#beatMs : this.#beatMsMax;
    this.#cancel ??= this.#clock.after(ms, () => this.#strike());
  }

  #strike(): void {
    this.#cancel = undefined;
    if (this.#isResting) this.#readAll();
    else this.#restIf(isTrickle(this.#tally));
  }

  /** One turn for all that has come; then they rest again, unless it was little. */
  #readAll(): void {
    this.#asked = this.#underWay;
    this.#tally = nothing();
    for (const reader of this.#readers) reader.readOn();
    this.turns.begin();
  }

  /** All that read have taken in: whoever got its whole answer waits for nothing any more and is not to rest. */
  #turnIsOver(turn: Turn<BeatReader>): void {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) {
      this.#beatMs = nextBeatMs(this.#beatMs, this.#beatMsMax, this.#tally.answers, asked);
      this.#restIf(turn.reads >= BUSY_MIN, turn);
    } else if (this.#isResting) this.#rest(turn.bytesOf.keys(), turn);
    // After a turn in which all were closed nobody is left that could rest.
    else if (this.#readers.size > 0) this.#count(turn);
  }

  #count({ bytes }: Turn<BeatReader>): void {
    this.#tally.turns += 1;
    this.#tally.bytes += bytes;
    this.#begin();
  }

  #restIf(isBusy: boolean, turn?: Turn<BeatReader>): void {
    const wasResting = this.#isResting;
    this.#isResting = isBusy;
    this.#tally = nothing();
    if (isBusy) {
      this.#rest(this.#readers, turn);
      this.#begin();
    } else if (wasResting) {
      for (const reader of this.#readers) reader.readOn();
    }
  }

  /** All but those that have brought much in the turn. */
  #rest(readers: Iterable<BeatReader>, turn?: Turn<BeatReader>): void {
    for (const reader of readers) if ((turn?.bytesOf.get(reader) ?? 0) < BULK_BYTES_MIN) reader.rest();
  }
}

function nothing(): Tally {
  return { turns: 0, bytes: 0, answers: 0 };
}

function isTrickle({ turns, bytes }: Tally): boolean {
  return turns >= BUSY_MIN && bytes <= turns * SMALL_TURN_BYTES_MAX;
}

/** A beat should be as long as the server always has something of ours to do. */
function nextBeatMs(beatMs: number, beatMsMax: number, answers: number, asked: number): number {
  if (answers > asked * ANSWERED_SHARE_MAX) return Math.max(BEAT_MS_MIN, beatMs * SHORTER);
  return answers < asked * ANSWERED_SHARE_MIN || asked === 0 ? Math.min(beatMsMax, beatMs * LONGER) : beatMs;
}
