// Status conditions as the Kubernetes API conventions ask for them: keyed by type, with the generation they speak of,
// and a transition time that moves only when the status does.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import type { Reason } from "./reasons.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

export type Condition = {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
};

/** What we have to say now; the builder adds when and about which generation. */
export type Claim = {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
};

/** The API server refuses a longer message. */
export const CONDITION_MESSAGE_MAX = 32_768;

export type ConditionInput = {
  /** What the stored status holds; anything may be there. */
  readonly previous: Json | undefined;
  readonly claims: readonly Claim[];
  readonly generation: number;
  readonly nowMs: number;
};

/**
 * The conditions to store: ours in the order of the claims, then what else was there, untouched.
 * A condition whose status did not change keeps its transition time.
 */
export function buildConditions({ previous, claims, generation, nowMs }: ConditionInput): readonly StoredCondition[] {
  const ours = new Set(claims.map((claim) => claim.type));
  if (ours.size !== claims.length) throw new Error("two claims of one condition type: a status holds each type once");
  const stored = storedConditions(previous);
  const now = timestamp(nowMs);
  const built = claims.map((claim): Condition => {
    const before = stored.find((condition) => condition.type === claim.type);
    return {
      type: claim.type,
      status: claim.status,
      observedGeneration: generation,
      lastTransitionTime: unmovedSince(before, claim) ?? now,
      reason: claim.reason,
      message: cutText(claim.message, CONDITION_MESSAGE_MAX),
    };
  });
  return [...built, ...stored.filter((condition) => !ours.has(condition.type))];
}

/** A condition as some writer stored it: it has a type, and whatever else that writer thought fit. */
export type StoredCondition = Condition | (JsonObject & { readonly type: string });

/** The entries of a stored list that have a type, as they are; of two with one type the first counts. */
export function storedConditions(stored: Json | undefined): readonly StoredCondition[] {
  if (!isJsonList(stored)) return [];
  const byType = new Map<string, StoredCondition>();
  for (const entry of stored) if (hasType(entry) && !byType.has(entry.type)) byType.set(entry.type, entry);
  return [...byType.values()];
}

function hasType(entry: Json): entry is JsonObject & { readonly type: string } {
  return isJsonObject(entry) && typeof entry.type === "string";
}

function unmovedSince(before: StoredCondition | undefined, claim: Claim): string | undefined {
  if (before === undefined || before.status !== claim.status) return undefined;
  return typeof before.lastTransitionTime === "string" ? before.lastTransitionTime : undefined;
}

/** RFC 3339 in whole seconds, as Kubernetes writes metav1.Time. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
