// How often the status of an object is told. Its counts change with every pod of a rollout, and each status is a write that everybody
// who watches the object receives; so counts are told now and then, and what people wait for at once. Two replicas that see
// different things contradict each other no more often than that.
//
// Guarantees: a status that is held back is told after `spacingMs` at the latest, if it is still true then.

import type { StoredObject } from "../../core/decision/snapshot.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { Clock } from "../../kube/clock.ts";
import { storedStatus } from "../perform/status-patch.ts";

export type StatusPaceLimits = {
  /** Between two tellings of nothing but counts. */
  readonly spacingMs: number;
  /** Objects whose last telling is remembered; the longest untold goes first. */
  readonly objectsMax: number;
};

export const STATUS_PACE_LIMITS: StatusPaceLimits = { spacingMs: 2_000, objectsMax: 10_000 };

type Telling = { readonly atMs: number; readonly news: string };

export class StatusPace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: StatusPaceLimits;
  readonly #told = new Map<string, Telling>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: StatusPaceLimits = STATUS_PACE_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** How long this status of the object has to wait; 0 when it should be told now. */
  waitMs(object: StoredObject, status: JsonObject): number {
    const told = this.#told.get(object.uid);
    const news = newsIn(status);
    // What we have told and is not there was written over by another replica that sees things otherwise, or is on its way to us.
    const isNews = news !== newsIn(storedStatus(object)) && news !== told?.news;
    if (told === undefined || isNews) return 0;
    return Math.max(0, told.atMs + this.#limits.spacingMs - this.#clock.monotonicMs());
  }

  /** Notes that this status of the object was told. */
  told({ uid }: StoredObject, status: JsonObject): void {
    this.#told.delete(uid);
    this.#told.set(uid, { atMs: this.#clock.monotonicMs(), news: newsIn(status) });
    const [oldest] = this.#told.keys();
    if (oldest !== undefined && this.#told.size > this.#limits.objectsMax) this.#told.delete(oldest);
  }
}

/** What people and programs wait for: whether a spec was seen, and what the conditions say, but not in which words. */
function newsIn({ observedGeneration, collisionCount, conditions }: JsonObject): string {
  const said = (isJsonList(conditions) ? conditions : []).map((condition) =>
    isJsonObject(condition) ? [condition.type ?? null, condition.status ?? null, condition.reason ?? null] : condition,
  );
  return canonicalJson([observedGeneration ?? null, collisionCount ?? null, ...said]);
}
