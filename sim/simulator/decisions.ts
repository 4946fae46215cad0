// Where every choice of a run comes from: dice when a seed is explored, a tape when a run is repeated. What was chosen is
// recorded. Choices are drawn in named streams, each with dice of its own, so that one choice less shifts no other stream.
import type { Rand } from "../../src/kube/rand.ts";
import { seededRand } from "../seeded-rand.ts";
import { mixSeed } from "./mix-seed.ts";
import type { Choice, Tape } from "./tape.ts";

export type Source = { readonly seed: number } | { readonly tape: Tape };

/** Choices of one sort. Zero is always the plain thing: no fault, the usual delay. */
export interface Stream {
  /** Whether something that happens at this rate happens now. */
  chance(rate: number): boolean;
  /** One of `count` possibilities. */
  pick(count: number): number;
}

export class Decisions {
  readonly seed: number;
  readonly #tape: Tape | undefined;
  readonly #streams = new Map<string, RecordedStream>();

  constructor(source: Source) {
    this.#tape = "tape" in source ? source.tape : undefined;
    this.seed = "tape" in source ? source.tape.seed : source.seed;
  }

  /** Whether choices are given: then rates mean nothing. */
  get isTape(): boolean {
    return this.#tape !== undefined;
  }

  /** The stream of a name; the same one for the same name. */
  stream(name: string): Stream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const dice = this.#tape === undefined ? this.rand(`stream ${name}`) : undefined;
    const stream = new RecordedStream(dice, this.#tape?.streams.get(name));
    this.#streams.set(name, stream);
    return stream;
  }

  /** Randomness that is no choice: identities, jitter of a process. It depends on the seed and the name alone. */
  rand(name: string): Rand {
    return seededRand(mixSeed(this.seed, name));
  }

  /** What was chosen so far. */
  tapeOf(scenario: string): Tape {
    const streams = new Map([...this.#streams].map(([name, { chosen }]) => [name, chosen]));
    return { scenario, seed: this.seed, streams };
  }
}

class RecordedStream implements Stream {
  readonly chosen: Choice[] = [];
  readonly #dice: Rand | undefined;
  readonly #given: ReadonlyMap<number, number> | undefined;
  #at = 0;

  constructor(dice: Rand | undefined, given: readonly Choice[] | undefined) {
    this.#dice = dice;
    this.#given = given && new Map(given.map(({ at, value }) => [at, value]));
  }

  chance(rate: number): boolean {
    return this.#take(this.#dice !== undefined && rate > 0 && this.#dice.next() < rate ? 1 : 0, 2) === 1;
  }

  pick(count: number): number {
    return this.#take(this.#dice === undefined ? 0 : Math.floor(this.#dice.next() * count), count);
  }

  #take(rolled: number, count: number): number {
    const at = this.#at++;
    const value = this.#dice === undefined ? (this.#given?.get(at) ?? 0) % Math.max(1, count) : rolled;
    if (value !== 0) this.chosen.push({ at, value });
    return value;
  }
}
