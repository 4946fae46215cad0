// What an object says of itself: its conditions and counters, whatever its kind, and whether that is said of what is stored now.
import { type StoredCondition, storedConditions } from "../../core/decision/conditions.ts";
import { countIn, textIn } from "../../core/decision/object-identity.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { listOf, objectAt } from "../../kinds/schema/json-parts.ts";

export type ConditionSaid = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

/** Conditions that are good when they are not there or False. */
const GOOD_WHEN_FALSE: readonly string[] = ["Stalled", "Paused"];
/** What says that something is going on, which is neither good nor bad. */
const NEITHER: readonly string[] = ["Reconciling"];

/** The condition of a type; undefined when nobody has written it. */
export function conditionSaid({ object }: StoredObject, type: string): ConditionSaid | undefined {
  return conditionsSaid(object).find((condition) => condition.type === type);
}

/** The conditions that are not as they should be: what stalls first, the summary next. */
export function badConditions({ object }: StoredObject): readonly ConditionSaid[] {
  const rank = ({ type }: ConditionSaid) => (type === "Stalled" ? 0 : type === "Ready" ? 1 : 2);
  return conditionsSaid(object)
    .filter(
      ({ type, status }) => !NEITHER.includes(type) && status !== (GOOD_WHEN_FALSE.includes(type) ? "False" : "True"),
    )
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Whether the status speaks of an earlier spec, or of none. */
export function isUnseen({ object, generation }: StoredObject): boolean {
  return countIn(statusOf(object).observedGeneration) < generation;
}

export type NodeProblem = {
  readonly reason: string;
  readonly message: string;
  readonly nodes: number;
  readonly examples: readonly string[];
};

/** What keeps nodes from being fitted, as the status has it. */
export function nodeProblems({ object }: StoredObject): readonly NodeProblem[] {
  return listOf(statusOf(object).problems)
    .filter(isJsonObject)
    .map((problem) => ({
      ...{ reason: textIn(problem.reason), message: textIn(problem.message), nodes: countIn(problem.nodes) },
      examples: listOf(problem.examples).filter((name) => typeof name === "string"),
    }));
}

/** How many nodes the object is for, and how many of them have what they should; undefined while it has no status. */
export function fittedCounts({
  object,
}: StoredObject): { readonly nodes: number; readonly fitted: number } | undefined {
  const status = statusOf(object);
  if (isJsonObject(status.nodes)) return { nodes: countIn(status.nodes.inScope), fitted: countIn(status.nodes.fitted) };
  if (status.desiredNumberScheduled === undefined) return undefined;
  const fitted = status.numberAvailable ?? status.numberReady;
  return { nodes: countIn(status.desiredNumberScheduled), fitted: countIn(fitted) };
}

export function statusOf(object: JsonObject): JsonObject {
  return objectAt(object, "status");
}

function conditionsSaid(object: JsonObject): readonly ConditionSaid[] {
  return storedConditions(statusOf(object).conditions).map(({ type, status, reason, message }: StoredCondition) => ({
    ...{ type, status: textIn(status), reason: textIn(reason), message: textIn(message) },
  }));
}
