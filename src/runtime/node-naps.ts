// While much comes in small pieces, the whole process naps and then reads in one turn what has come meanwhile: whoever is woken for each event and each
// answer pays more for waking than for what it reads (docs/decisions/0006). What comes alone is read at once, and so is what comes in bulk.
//
// Guarantees: nothing in hand waits for a nap but what waits for a timer or for news from outside; no nap is longer than the longest. Nobody naps once
// little comes, nor for a second after it was disturbed.
// Caveats: timers, answers and signals may be late by a nap, and so may whoever disturbs first. What takes several steps outside, such as a new connection,
// may wait for one at each. What the client measures as the time of an answer includes it. Who closes all connections may still have one nap to end.
import type { Clock } from "../kube/clock.ts";
import { type Turn, Turns } from "./node-turns.ts";

/** No nap is longer, nor is the time within which it is told whether much comes. */
export const NAP_MS_MAX = 100;
/** No nap is shorter. */
export const NAP_MS_MIN = 10;
/** With so many within the longest nap, much comes: turns of the event loop that brought something while nobody naps, reads after a nap. A shorter one needs less. */
export const BUSY_MIN = 8;
/** Turns that bring more than this on average are worth waking for: this is a list, and not a trickle of events. */
export const SMALL_TURN_BYTES_MAX = 32 * 1024;
/** A connection that brings so much in a turn has more, and is in the midst of a list: the events of 100 pods a second should be 180 KB in the longest nap. */
export const BULK_BYTES_MIN = 256 * 1024;
/** After what was read, its readers are woken, decide and send within so many turns of the event loop. */
const SETTLING_TURNS = 3;
/** Who is put off because something was read lets at least its readers be woken. */
const WAKING_TURNS = 2;
/** So long after somebody has asked nobody naps: more will be asked. */
export const AWAKE_MS = 1_000;
/** Of the requests under way: where a nap is followed by more answers, the server had almost nothing of ours left to do, and the next is shorter. */
const ANSWERED_SHARE_MAX = 0.75;
/** Where it is followed by fewer, the next one is longer. */
const ANSWERED_SHARE_MIN = 0.5;
const SHORTER = 0.75;
const LONGER = 1.25;

type NapPorts = {
  readonly clock: Clock;
  /** Stops everything for so long. */
  readonly sleep: (ms: number) => void;
};

/** What came while nobody napped. */
type Tally = { readonly sinceMs: number; turns: number; bytes: number };

export class Naps {
  /** In which all that comes is read. */
  readonly turns = new Turns((turn) => this.#turnIsOver(turn));
  readonly #ports: NapPorts;
  #napMs = NAP_MS_MAX;
  #tally: Tally | undefined;
  /** Requests without an answer. */
  #underWay = 0;
  #answers = 0;
  /** The requests that were under way at the end of a nap; undefined but in the turn that follows. */
  #askedBefore: number | undefined;
  /** From when it is told that much comes until a nap brings little. */
  #isNapping = false;
  /** Somebody has brought much since the last nap. */
  #isBulky = false;
  #awakeUntilMs = Number.NEGATIVE_INFINITY;

  constructor(ports: NapPorts) {
    this.#ports = ports;
  }

  /** A request was sent. */
  asked(): void {
    this.#underWay += 1;
  }

  /** Its answer begins, or none will come. */
  answered(): void {
    this.#underWay -= 1;
    this.#answers += 1;
  }

  /** Somebody outside waits for us, or will. */
  disturb(): void {
    this.#awakeUntilMs = this.#ports.clock.monotonicMs() + AWAKE_MS;
  }

  #turnIsOver(turn: Turn): void {
    const asked = this.#askedBefore;
    this.#askedBefore = undefined;
    if (this.#isNapping && isBulk(turn)) this.#isBulky = true;
    if (asked !== undefined) this.#goOn(turn, asked);
    else if (!this.#isNapping) this.#count(turn);
  }

  /** Another nap after one that brought much. */
  #goOn({ reads }: Turn, asked: number): void {
    this.#isNapping = reads * NAP_MS_MAX >= BUSY_MIN * this.#napMs;
    this.#napMs = nextNapMs(this.#napMs, this.#answers, asked);
    if (this.#isNapping) this.#napAfter(SETTLING_TURNS);
  }

  #count({ bytes }: Turn): void {
    const nowMs = this.#ports.clock.monotonicMs();
    let tally = this.#tally ?? startOf(nowMs);
    if (nowMs - tally.sinceMs > NAP_MS_MAX) tally = startOf(nowMs);
    tally.turns += 1;
    tally.bytes += bytes;
    this.#tally = tally;
    if (!isTrickle(tally)) return;
    this.#tally = undefined;
    this.#isNapping = true;
    this.#isBulky = false;
    this.#napAfter(SETTLING_TURNS);
  }

  #napAfter(turns: number): void {
    setImmediate(() => {
      if (this.turns.isUnderWay) this.#napAfter(Math.max(WAKING_TURNS, turns - 1));
      else if (turns > 1) this.#napAfter(turns - 1);
      else this.#nap();
    });
  }

  #nap(): void {
    const { clock, sleep } = this.#ports;
    this.#isNapping = !this.#isBulky && clock.monotonicMs() >= this.#awakeUntilMs;
    this.#isBulky = false;
    if (!this.#isNapping) return;
    sleep(this.#napMs);
    this.#askedBefore = this.#underWay;
    this.#answers = 0;
    this.turns.begin();
  }
}

function startOf(sinceMs: number): Tally {
  return { sinceMs, turns: 0, bytes: 0 };
}

function isTrickle({ turns, bytes }: Tally): boolean {
  return turns >= BUSY_MIN && bytes <= turns * SMALL_TURN_BYTES_MAX;
}

function isBulk({ bytesOf }: Turn): boolean {
  for (const bytes of bytesOf.values()) if (bytes >= BULK_BYTES_MIN) return true;
  return false;
}

/** A nap should be as long as the server always has something of ours to do. */
function nextNapMs(napMs: number, answers: number, asked: number): number {
  if (answers > asked * ANSWERED_SHARE_MAX) return Math.max(NAP_MS_MIN, napMs * SHORTER);
  return answers < asked * ANSWERED_SHARE_MIN || asked === 0 ? Math.min(NAP_MS_MAX, napMs * LONGER) : napMs;
}
