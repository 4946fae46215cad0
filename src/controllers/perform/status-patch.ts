// The status to store after a pass, and the patch that brings the stored one there.
import { buildConditions } from "../../core/decision/conditions.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Stall } from "../loop/outcome.ts";

const STALLED = "Stalled";

/** The status that an object has now. */
export function storedStatus({ object }: StoredObject): JsonObject {
  return isJsonObject(object.status) ? object.status : {};
}

/** A status in which the condition Stalled says what the cluster refuses. */
export function withStall(status: JsonObject, stall: Stall, object: StoredObject, nowMs: number): JsonObject {
  const claim = { type: STALLED, status: "True" as const, reason: stall.reason, message: stall.message };
  const { generation } = object;
  const stored = conditionsIn(storedStatus(object)).filter(isStalled);
  const said = buildConditions({ previous: stored, claims: [claim], generation, nowMs });
  const others = conditionsIn(status).filter((condition) => !isStalled(condition));
  return { ...status, conditions: [...others, ...said] };
}

/** Whether the stored status says already that this is refused. */
export function saysStall(object: StoredObject, { reason }: Stall): boolean {
  const stalled = conditionsIn(storedStatus(object)).find(isStalled);
  return isJsonObject(stalled) && stalled.status === "True" && stalled.reason === reason;
}

/** The JSON merge patch from one object to another; undefined when there is no difference. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const changes: [string, Json][] = [];
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changes.push([key, null]);
  for (const [key, value] of Object.entries(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isJsonObject(was) && isJsonObject(value)) {
      const inner = mergePatchBetween(was, value);
      if (inner !== undefined) changes.push([key, inner]);
    } else if (was === undefined || !isSame(was, value)) changes.push([key, value]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function conditionsIn({ conditions }: JsonObject): readonly Json[] {
  return isJsonList(conditions) ? conditions : [];
}

function isStalled(condition: Json): boolean {
  return isJsonObject(condition) && condition.type === STALLED;
}

function isSame(a: Json, b: Json): boolean {
  if (isJsonList(a)) return isJsonList(b) && a.length === b.length && a.every((one, at) => isSame(one, b[at] ?? null));
  if (isJsonObject(a)) return isJsonObject(b) && mergePatchBetween(a, b) === undefined;
  return a === b;
}
