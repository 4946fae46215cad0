// Status conditions as the Kubernetes API conventions ask for them: keyed by type, with the generation they speak of,
// and a transition time that moves only when the status does.
import { isJsonObject, type Json } from "./json.ts";
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
 * The conditions to store: ours in the order of the claims, then those of other writers as they were.
 * A condition whose status did not change keeps its transition time.
 */
export function buildConditions({ previous, claims, generation, nowMs }: ConditionInput): readonly Condition[] {
  const known = parseConditions(previous);
  const ours = new Set(claims.map((claim) => claim.type));
  const now = timestamp(nowMs);
  const built = claims.map((claim): Condition => {
    const before = known.find((condition) => condition.type === claim.type);
    const isUnmoved = before?.status === claim.status;
    return {
      type: claim.type,
      status: claim.status,
      observedGeneration: generation,
      lastTransitionTime: isUnmoved ? before.lastTransitionTime : now,
      reason: claim.reason,
      message: cutText(claim.message, CONDITION_MESSAGE_MAX),
    };
  });
  return [...built, ...known.filter((condition) => !ours.has(condition.type))];
}

/** Reads stored conditions; entries that are not conditions are left out, and of two with one type the first counts. */
export function parseConditions(stored: Json | undefined): readonly Condition[] {
  if (!Array.isArray(stored)) return [];
  const byType = new Map<string, Condition>();
  for (const entry of stored) {
    const condition = parseCondition(entry);
    if (condition !== undefined && !byType.has(condition.type)) byType.set(condition.type, condition);
  }
  return [...byType.values()];
}

function parseCondition(entry: Json): Condition | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = entry;
  if (typeof type !== "string" || !isStatus(status) || typeof lastTransitionTime !== "string") return undefined;
  return {
    type,
    status,
    observedGeneration: typeof observedGeneration === "number" ? observedGeneration : 0,
    lastTransitionTime,
    reason: typeof reason === "string" ? reason : "",
    message: typeof message === "string" ? message : "",
  };
}

function isStatus(value: Json | undefined): value is ConditionStatus {
  return value === "True" || value === "False" || value === "Unknown";
}

/** RFC 3339 in whole seconds, as Kubernetes writes metav1.Time. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
