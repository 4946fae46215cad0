// The faults of a run: which of them this run has, how often each strikes, and when all of them stop. Every seed switches a
// random part of them on, each with a rate of its own: a fault that is always there hides what only happens without it.
//
// Beside this file:
//   world-faults.ts: processes, clocks, the API server
//   object-faults.ts, place-faults.ts, pod-faults.ts: objects, nodes, pods
//   registry-faults.ts, odd-settings.ts: registries, and settings that nobody would choose
import type { Decisions, Stream } from "../decisions.ts";

/** A fault and how likely it is at each occasion when it is at its worst. */
export type FaultSpec = { readonly name: string; readonly rate: number };

/** One fault of a run. */
export interface Fault {
  /** Whether it strikes at this occasion. */
  strikes(): boolean;
  /** How it strikes: one of `count` ways. */
  pick(count: number): number;
}

/** Of all faults, the part that a seed leaves out. */
const OFF_SHARE = 0.5;
/** A fault that is on has one of these parts of its rate. */
const levels = [1, 0.4, 0.15];

/** Delays in ms, the likely ones first. Parts of a millisecond let two messages change places. */
const jitterMs = [0.25, 0.5, 0.75, 1.5, 2, 3, 4, 6, 8, 12, 20, 50];
const slowMs = [200, 400, 800, 1_500, 3_000, 6_000, 12_000];
/** How long a message is under way when nothing is wrong. */
export const PLAIN_DELAY_MS = 1;

export class Faults {
  readonly #decisions: Decisions;
  readonly #rates: ReadonlyMap<string, number>;
  readonly #known = new Map<string, Fault>();
  #areOver = false;

  /** `isAllowed` leaves faults out by name. */
  constructor(decisions: Decisions, specs: readonly FaultSpec[], isAllowed: (name: string) => boolean) {
    this.#decisions = decisions;
    this.#rates = swarm(
      decisions,
      specs.filter(({ name }) => isAllowed(name)),
    );
  }

  get areOver(): boolean {
    return this.#areOver;
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    this.#areOver = true;
  }

  /** The faults that this run has. */
  names(): readonly string[] {
    return [...this.#rates.keys()].sort();
  }

  fault(name: string): Fault {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const rate = this.#rates.get(name) ?? 0;
    // Most faults of a run are off, and most others never strike: only a tape can wake the first, and dice are made when they are rolled.
    const strikes = rate > 0 || this.#decisions.isTape ? this.#decisions.stream(name) : undefined;
    let ways: Stream | undefined;
    const fault = {
      strikes: () => strikes !== undefined && !this.#areOver && strikes.chance(rate),
      pick: (count: number) => {
        ways ??= this.#decisions.stream(`${name}-how`);
        return ways.pick(count);
      },
    };
    this.#known.set(name, fault);
    return fault;
  }

  /** How long messages of a link are under way: the usual time, now and then another one, sometimes far too long. */
  delays(prefix: string): () => number {
    const jitter = this.fault(`${prefix}-jitter`);
    const slow = this.fault(`${prefix}-slow`);
    return () => {
      if (slow.strikes()) return slowMsOf(slow);
      return jitter.strikes() ? (jitterMs[jitter.pick(jitterMs.length)] ?? PLAIN_DELAY_MS) : PLAIN_DELAY_MS;
    };
  }
}

/** A long time that a fault chooses. */
export function slowMsOf(fault: Pick<Stream, "pick">): number {
  return slowMs[fault.pick(slowMs.length)] ?? PLAIN_DELAY_MS;
}

function swarm(decisions: Decisions, specs: readonly FaultSpec[]): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const { name, rate } of specs) {
    const dice = decisions.rand(`swarm ${name}`);
    const isOn = dice.next() >= OFF_SHARE;
    if (isOn) rates.set(name, rate * (levels[Math.floor(dice.next() * levels.length)] ?? 1));
  }
  return rates;
}
