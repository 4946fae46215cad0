// Makes a failing tape short: fewer kinds of faults, then fewer choices, then plainer ones, as long as the same oracle fails.
// Delta debugging; every candidate is a whole run, so the number of runs is what it may cost.
import { type Choice, choicesOf, type Tape } from "../tape.ts";

/** Runs a tape: the tape as it was used, and the oracle that failed. */
export type Try = (tape: Tape) => Promise<{ readonly oracle: string | undefined; readonly tape: Tape }>;

export type ShrinkOptions = {
  /** The oracle that must go on failing. */
  readonly oracle: string;
  readonly attempt: Try;
  /** Runs at most. */
  readonly runsMax: number;
  /** Asked before every run: the time may be over before the runs are. */
  readonly isTimeUp: () => boolean;
};

export type Shrunk = { readonly tape: Tape; readonly runs: number };

/** The shortest failing tape that could be found within the limits; the given one when there is none shorter. */
export async function shrinkTape(tape: Tape, options: ShrinkOptions): Promise<Shrunk> {
  const search = new Search(tape, options);
  for (let before = -1; before !== search.length && search.mayGoOn; ) {
    before = search.length;
    await search.dropStreams();
    await search.dropChoices();
    await search.lowerValues();
  }
  return { tape: search.best, runs: search.runs };
}

/** One choice with the stream it belongs to. */
type Placed = Choice & { readonly stream: string };

class Search {
  readonly #options: ShrinkOptions;
  best: Tape;
  runs = 0;

  constructor(tape: Tape, options: ShrinkOptions) {
    this.#options = options;
    this.best = tape;
  }

  get length(): number {
    return choicesOf(this.best);
  }

  get mayGoOn(): boolean {
    return this.runs < this.#options.runsMax && !this.#options.isTimeUp();
  }

  /** Whole kinds of faults first, the ones with most choices before the others. */
  async dropStreams(): Promise<void> {
    const bySize = [...this.best.streams].sort(([, a], [, b]) => b.length - a.length).map(([name]) => name);
    for (const name of bySize) await this.#keepIfFailing(placed(this.best).filter(({ stream }) => stream !== name));
  }

  /** Ever smaller blocks of choices, wherever they lie. */
  async dropChoices(): Promise<void> {
    for (let size = Math.ceil(this.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < this.length && this.mayGoOn; ) {
        const all = placed(this.best);
        const isShorter = await this.#keepIfFailing([...all.slice(0, from), ...all.slice(from + size)]);
        if (!isShorter) from += size;
      }
    }
  }

  /** A choice of 1 is plainer than a choice of 7. */
  async lowerValues(): Promise<void> {
    for (let at = 0; at < this.length && this.mayGoOn; at++) {
      const all = placed(this.best);
      const { value = 1 } = all[at] ?? {};
      if (value > 1)
        await this.#keepIfFailing(all.map((choice, place) => (place === at ? { ...choice, value: 1 } : choice)));
    }
  }

  /** True when the candidate fails as well; what it did not use of itself is dropped with it. */
  async #keepIfFailing(choices: readonly Placed[]): Promise<boolean> {
    const candidate = { ...this.best, streams: unplaced(choices) };
    if (!this.mayGoOn || weightOf(candidate) >= weightOf(this.best)) return false;
    this.runs += 1;
    const { oracle, tape } = await this.#options.attempt(candidate);
    const isBetter = oracle === this.#options.oracle && weightOf(tape) < weightOf(this.best);
    if (isBetter) this.best = tape;
    return isBetter;
  }
}

/** Fewer choices are better, then plainer ones. */
function weightOf(tape: Tape): number {
  let values = 0;
  for (const choices of tape.streams.values()) for (const { value } of choices) values += value;
  return choicesOf(tape) * 1_000 + values;
}

function placed({ streams }: Tape): readonly Placed[] {
  return [...streams].flatMap(([stream, choices]) => choices.map((choice) => ({ ...choice, stream })));
}

function unplaced(choices: readonly Placed[]): Tape["streams"] {
  const streams = new Map<string, Choice[]>();
  for (const { stream, at, value } of choices) {
    const there = streams.get(stream) ?? [];
    there.push({ at, value });
    streams.set(stream, there);
  }
  return streams;
}
