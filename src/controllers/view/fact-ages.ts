// Since when the facts of nodes are as they are, as far as this process has seen: rollouts wait until a change has lasted. Labels are told
// apart, since somebody may write one every few seconds that no rule reads, and whoever waited for it would wait for ever.
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { changedLabels, hasSameSystem } from "../../core/node/same-facts.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Clock } from "../../kube/clock.ts";

/** Labels of one node whose changes are told apart; beyond this the oldest counts for every label. */
export const LABEL_AGES_MAX = 64;

/** When what changed, in wall ms. */
type Changes = {
  systemMs: number;
  /** Of labels that are not told apart any more. */
  restMs: number;
  /** By key, the oldest first. */
  readonly labelsMs: Map<string, number>;
};

export class FactAges {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #startedMs: number;
  /** Only of nodes that have changed; nobody else costs anything. */
  readonly #changes = new Map<string, Changes>();

  constructor(cache: Pick<Cache<NodeFacts, never>, "changes">, clock: Pick<Clock, "wallMs">) {
    this.#clock = clock;
    this.#startedMs = clock.wallMs();
    cache.changes(({ key, was, now }) => {
      if (now === undefined) this.#changes.delete(key);
      else this.#note(key, was, now);
    });
  }

  /**
   * The wall time at which the node's system and these of its labels became what they are; what changed before our time counts from our
   * beginning.
   */
  sinceMs(node: string, labelKeys: readonly string[]): number {
    const changes = this.#changes.get(node);
    if (changes === undefined) return this.#startedMs;
    const { systemMs, restMs, labelsMs } = changes;
    return Math.max(systemMs, restMs, ...labelKeys.map((key) => labelsMs.get(key) ?? 0));
  }

  /** The wall time at which the last of these labels changed before our eyes; 0 if none did. */
  relabelledMs(node: string, labelKeys: readonly string[]): number {
    const changes = this.#changes.get(node);
    if (changes === undefined || labelKeys.length === 0) return 0;
    return Math.max(changes.restMs, ...labelKeys.map((key) => changes.labelsMs.get(key) ?? 0));
  }

  #note(node: string, was: NodeFacts | undefined, now: NodeFacts): void {
    const isNew = was === undefined || !hasSameSystem(was, now);
    const keys = was === undefined ? [] : changedLabels(was, now);
    if (!isNew && keys.length === 0) return;
    const nowMs = this.#clock.wallMs();
    const changes = this.#changes.get(node) ?? { systemMs: this.#startedMs, restMs: 0, labelsMs: new Map() };
    this.#changes.set(node, changes);
    if (isNew) changes.systemMs = nowMs;
    for (const key of keys) {
      changes.labelsMs.delete(key);
      changes.labelsMs.set(key, nowMs);
    }
    for (const [key, changedMs] of changes.labelsMs) {
      if (changes.labelsMs.size <= LABEL_AGES_MAX) break;
      changes.labelsMs.delete(key);
      changes.restMs = Math.max(changes.restMs, changedMs);
    }
  }
}
