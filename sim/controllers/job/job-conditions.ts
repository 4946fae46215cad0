// The conditions of a Job: made, found and replaced as the Job controller does.
import { timestamp } from "../../../src/core/decision/conditions.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";

type Why = { readonly reason: string; readonly message: string };

/** A condition that is true from now on. */
export function jobCondition(type: string, { reason, message }: Why, nowMs: number): JsonObject {
  const now = timestamp(nowMs);
  return { type, status: "True", lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/** True for a condition of this type that holds. */
export function isTrue(condition: JsonObject, type: string): boolean {
  return condition.type === type && condition.status === "True";
}

/** True when the list has a condition of the same type that holds. */
export function hasCondition(conditions: readonly JsonObject[], { type }: JsonObject): boolean {
  return conditions.some((each) => isTrue(each, String(type)));
}

/** The list with this condition; the same list when it says so already, or when nothing was ever said to the contrary. */
export function ensureCondition(
  conditions: readonly JsonObject[],
  wanted: Why & { readonly type: string; readonly status: string },
  nowMs: number,
): readonly JsonObject[] {
  const there = conditions.find(({ type }) => type === wanted.type);
  const isSaid = there === undefined ? wanted.status === "False" : there.status === wanted.status;
  if (isSaid) return conditions;
  const made = { ...jobCondition(wanted.type, wanted, nowMs), status: wanted.status };
  return [...conditions.filter((each) => each !== there), made];
}
