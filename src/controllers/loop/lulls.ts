// Lulls: times in which the nodes of an object only wait for their pods. Every pod that becomes ready would cost a look that finds other counts
// and nothing to do; the next look is due soon anyway, and until then what children do wakes nobody.
//
// Guarantees: a lull ends with the next look at the object, whoever asked for that, and after `lullMaxMs` at the latest.
// Assumes: whoever begins one has asked for a look at its end.
import type { Clock } from "../../kube/clock.ts";
import type { Key } from "../../kube/resource.ts";

export type LullLimits = {
  /** For each node that is waited for: many cannot all be ready at once, and the last few are what people wait for. */
  readonly perNodeMs: number;
  /** Shorter ones are not worth it: looks keep that distance by themselves. */
  readonly lullMinMs: number;
  /** How old a change of nothing but counts may become before it is looked at. */
  readonly lullMaxMs: number;
  /** Objects that have one; beyond that the oldest ends. */
  readonly objectsMax: number;
};

export const LULL_LIMITS: LullLimits = { perNodeMs: 5, lullMinMs: 100, lullMaxMs: 1_000, objectsMax: 10_000 };

/** How long an object may be left alone that only waits for the pods of so many nodes; undefined when it should not be. */
export function lullMs(awaitedNodes: number, limits: LullLimits = LULL_LIMITS): number | undefined {
  const ms = Math.min(awaitedNodes * limits.perNodeMs, limits.lullMaxMs);
  return ms > limits.lullMinMs ? ms : undefined;
}

export class Lulls {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: LullLimits;
  readonly #untilMs = new Map<Key, number>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: LullLimits = LULL_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Lets the children of an object wake nobody until the look that is due in so many ms. */
  begin(key: Key, forMs: number): void {
    this.#untilMs.delete(key);
    this.#untilMs.set(key, this.#clock.monotonicMs() + Math.min(forMs, this.#limits.lullMaxMs));
    const [oldest] = this.#untilMs.keys();
    if (oldest !== undefined && this.#untilMs.size > this.#limits.objectsMax) this.#untilMs.delete(oldest);
  }

  /** An object is looked at: what changes from now on may call for another look. */
  end(key: Key): void {
    this.#untilMs.delete(key);
  }

  /** Whether a look at the object is due that makes others for the sake of its children unnecessary. */
  covers(key: Key): boolean {
    const untilMs = this.#untilMs.get(key);
    return untilMs !== undefined && this.#clock.monotonicMs() < untilMs;
  }
}
