// What a kubelet has heard so far of the objects in a cache that all kubelets of a fleet share: for most of them everything,
// for one behind a slow link what was there a while ago.
//
// Guarantees: news of one key arrives in order; where there is no delay this holds nothing and costs one look-up.
import type { Clock } from "../../src/kube/clock.ts";
import type { Key } from "../../src/kube/resource.ts";

/** A change as a cache tells it. */
export type Told<V> = { readonly key: Key; readonly was: V | undefined; readonly now: V | undefined };

type Late<V> = { shown: V | undefined; underway: number; lastDueMs: number };

export class LateView<V> {
  readonly #clock: Clock;
  readonly #current: (key: Key) => V | undefined;
  readonly #delayOf: (value: V) => number;
  readonly #onHeard: (key: Key) => void;
  /** Keys of which not everything has been heard yet. */
  readonly #late = new Map<Key, Late<V>>();

  constructor(
    clock: Clock,
    view: {
      readonly current: (key: Key) => V | undefined;
      readonly delayOf: (value: V) => number;
      readonly onHeard: (key: Key) => void;
    },
  ) {
    this.#clock = clock;
    this.#current = view.current;
    this.#delayOf = view.delayOf;
    this.#onHeard = view.onHeard;
  }

  /** The object as its kubelet knows it. */
  get(key: Key): V | undefined {
    const late = this.#late.get(key);
    return late === undefined ? this.#current(key) : late.shown;
  }

  /** Takes a change; it is heard at once or after the delay of the one it concerns. */
  take({ key, was, now }: Told<V>): void {
    const concerned = now ?? was;
    const delayMs = concerned === undefined ? 0 : this.#delayOf(concerned);
    const known = this.#late.get(key);
    if (delayMs <= 0 && known === undefined) {
      this.#onHeard(key);
      return;
    }
    const late = known ?? { shown: was, underway: 0, lastDueMs: 0 };
    const nowMs = this.#clock.monotonicMs();
    late.lastDueMs = Math.max(late.lastDueMs, nowMs + delayMs);
    late.underway += 1;
    this.#late.set(key, late);
    this.#clock.after(late.lastDueMs - nowMs, () => this.#hear(key, late, now));
  }

  #hear(key: Key, late: Late<V>, value: V | undefined): void {
    late.shown = value;
    late.underway -= 1;
    if (late.underway === 0) this.#late.delete(key);
    this.#onHeard(key);
  }
}
