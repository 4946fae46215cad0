// Since when the facts of nodes are as they are, as far as this process has seen: rollouts wait until a change has lasted.
import type { NodeFacts } from "../core/node-facts.ts";
import { hasSameFacts } from "../core/same-facts.ts";
import type { Cache } from "../kube/cache.ts";
import type { Clock } from "../kube/clock.ts";

export class FactAges {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #startedMs: number;
  /** Only of nodes that have changed; nobody else costs anything. */
  readonly #changedMs = new Map<string, number>();

  constructor(cache: Pick<Cache<NodeFacts, never>, "changes">, clock: Pick<Clock, "wallMs">) {
    this.#clock = clock;
    this.#startedMs = clock.wallMs();
    cache.changes(({ key, was, now }) => {
      if (now === undefined) this.#changedMs.delete(key);
      else if (was === undefined || !hasSameFacts(was, now)) this.#changedMs.set(key, this.#clock.wallMs());
    });
  }

  /** The wall time at which the node's facts became what they are; what changed before our time counts from our beginning. */
  sinceMs(node: string): number {
    return this.#changedMs.get(node) ?? this.#startedMs;
  }
}
