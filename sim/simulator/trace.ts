// What happened, one line per step, and the fingerprint of all lines: two runs with the same fingerprint took the same steps.
/** Lines kept at most; a longer run keeps its beginning and its fingerprint. */
const LINES_MAX = 200_000;

export class Trace {
  readonly #nowMs: () => number;
  readonly #keeps: boolean;
  readonly #lines: string[] = [];
  #low = 0x811c9dc5;
  #high = 1;
  #steps = 0;

  constructor(nowMs: () => number, keeps: boolean) {
    this.#nowMs = nowMs;
    this.#keeps = keeps;
  }

  /** Notes what somebody did or saw. What is told to people in other words is worded only when lines are kept. */
  add(who: string, what: string, inWords: () => string = () => what): void {
    const nowMs = this.#nowMs();
    this.#steps += 1;
    this.#mix(Math.round(nowMs * 100));
    this.#mixText(who);
    this.#mixText(what);
    if (!this.#keeps || this.#lines.length >= LINES_MAX) return;
    this.#lines.push(`${nowMs.toFixed(2).padStart(10)} ${who.padEnd(12)} ${inWords()}`);
  }

  #mixText(text: string): void {
    for (let at = 0; at < text.length; at++) this.#mix(text.charCodeAt(at));
    // Where one text ends, or else two could be taken for one.
    this.#mix(-1);
  }

  /** Two halves with a prime each: most histories are never printed, and this is done for every sign of what they do. */
  #mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x01000193);
    this.#high = Math.imul(this.#high ^ value, 0x85ebca6b) ^ (this.#high >>> 15);
  }

  get steps(): number {
    return this.#steps;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** 64 bits over all lines, in hexadecimal. */
  fingerprint(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
  }
}
