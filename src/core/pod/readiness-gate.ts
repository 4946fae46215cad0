// The readiness gates of a pod: conditions that somebody other than the kubelet must set before the pod counts as ready.

import { instantIn, textIn } from "../decision/object-identity.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";

export type ReadinessGate = {
  /** The type of the condition. */
  readonly type: string;
  /** Undefined while nobody has set the condition. */
  readonly condition: GateCondition | undefined;
};

export type GateCondition = {
  readonly isTrue: boolean;
  readonly sinceMs: number | undefined;
  readonly reason: string;
  readonly message: string;
};

const NONE: readonly ReadinessGate[] = Object.freeze([]);

/** Reads the gates of a pod's spec with the conditions of its status; a gate that is named twice is one. */
export function parseReadinessGates(gates: Json | undefined, conditions: Json | undefined): readonly ReadinessGate[] {
  if (!isJsonList(gates) || gates.length === 0) return NONE;
  const types = new Set(gates.filter(isJsonObject).map((gate) => textIn(gate.conditionType)));
  const stored = isJsonList(conditions) ? conditions.filter(isJsonObject) : [];
  return [...types].map((type) => {
    const found = stored.find((condition) => condition.type === type);
    return { type, condition: found && conditionOf(found) };
  });
}

function conditionOf({ status, lastTransitionTime, reason, message }: JsonObject): GateCondition {
  return {
    isTrue: status === "True",
    sinceMs: instantIn(lastTransitionTime),
    reason: textIn(reason),
    message: textIn(message),
  };
}
