// How often the status of an object is told. Its counts change with every pod of a rollout, and each status is a write that everybody
// who watches the object receives; so counts are told now and then, and what people wait for at once.
//
// Guarantees: a status that is held back is told after `spacingMs` at the latest, if it is still true then.
import { canonicalJson } from "../core/canonical-json.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../core/json.ts";
import type { StoredObject } from "../core/snapshot.ts";
import type { Clock } from "../kube/clock.ts";
import { storedStatus } from "./status-patch.ts";

export type StatusPaceLimits = {
  /** Between two tellings of nothing but counts. */
  readonly spacingMs: number;
  /** Objects whose last telling is remembered; the longest untold goes first. */
  readonly objectsMax: number;
};

export const STATUS_PACE_LIMITS: StatusPaceLimits = { spacingMs: 2_000, objectsMax: 10_000 };

export class StatusPace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: StatusPaceLimits;
  readonly #toldAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: StatusPaceLimits = STATUS_PACE_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** How long this status of the object has to wait; 0 when it should be told now. */
  waitMs(object: StoredObject, status: JsonObject): number {
    const toldAtMs = this.#toldAtMs.get(object.uid);
    if (toldAtMs === undefined || newsIn(storedStatus(object)) !== newsIn(status)) return 0;
    return Math.max(0, toldAtMs + this.#limits.spacingMs - this.#clock.monotonicMs());
  }

  /** Notes that the status of the object is being told. */
  told({ uid }: StoredObject): void {
    this.#toldAtMs.delete(uid);
    this.#toldAtMs.set(uid, this.#clock.monotonicMs());
    const [oldest] = this.#toldAtMs.keys();
    if (oldest !== undefined && this.#toldAtMs.size > this.#limits.objectsMax) this.#toldAtMs.delete(oldest);
  }
}

/** What people and programs wait for: whether a spec was seen, and what the conditions say, but not in which words. */
function newsIn({ observedGeneration, collisionCount, conditions }: JsonObject): string {
  const said = (isJsonList(conditions) ? conditions : []).map((condition) =>
    isJsonObject(condition) ? [condition.type ?? null, condition.status ?? null, condition.reason ?? null] : condition,
  );
  return canonicalJson([observedGeneration ?? null, collisionCount ?? null, ...said]);
}
