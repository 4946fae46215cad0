// Whether the API server would admit a toleration, asked by webhooks before a template is stored.

import { noteProblem, type Problem } from "../decision/problem.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { labelKeyFault, labelValueFault } from "../labels/label-syntax.ts";
import { parseCanonicalInt64 } from "../values/int64.ts";
import { quoted } from "../values/shown.ts";
import type { TolerationOptions } from "./taints.ts";

const effects: readonly unknown[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const textFields: readonly string[] = ["key", "operator", "value", "effect"];

/** Lists what is wrong with one toleration; nothing wrong is an empty list. */
export function validateToleration(toleration: unknown, path: string, options: TolerationOptions): readonly Problem[] {
  const problems: Problem[] = [];
  if (!isJsonObject(toleration)) {
    noteProblem(problems, path, `must be an object, not ${quoted(toleration)}`);
    return problems;
  }
  for (const field of textFields) {
    const value = toleration[field] ?? "";
    if (typeof value !== "string") noteProblem(problems, `${path}.${field}`, `must be a text, not ${quoted(value)}`);
  }
  noteKeyFaults(toleration, path, problems);
  noteValueFaults(toleration, path, options, problems);
  noteEffectFaults(toleration, path, problems);
  return problems;
}

function noteKeyFaults(toleration: JsonObject, path: string, problems: Problem[]): void {
  const key = textOf(toleration.key);
  if (key === "" && toleration.operator !== "Exists") {
    noteProblem(problems, `${path}.operator`, "must be Exists when there is no key, to tolerate every taint");
  }
  const fault = key === "" ? undefined : labelKeyFault(key);
  if (fault !== undefined) noteProblem(problems, `${path}.key`, `label key ${quoted(key)} ${fault}`);
}

function noteValueFaults(toleration: JsonObject, path: string, options: TolerationOptions, problems: Problem[]): void {
  const value = textOf(toleration.value);
  const operator = textOf(toleration.operator);
  const at = `${path}.value`;
  switch (operator) {
    case "":
    case "Equal": {
      const fault = labelValueFault(value);
      if (fault !== undefined) noteProblem(problems, at, `value ${quoted(value)} ${fault}`);
      return;
    }
    case "Exists":
      if (value !== "") noteProblem(problems, at, "must be left out when the operator is Exists");
      return;
    case "Gt":
    case "Lt":
      if (!options.comparisonOperators) {
        noteProblem(
          problems,
          `${path}.operator`,
          `${operator} is not switched on in this cluster; use Equal or Exists`,
        );
      } else if (parseCanonicalInt64(value) === undefined) {
        noteProblem(
          problems,
          at,
          `value ${quoted(value)} must be a whole number within 64 bits, without leading zeros`,
        );
      }
      return;
    default:
      noteProblem(problems, `${path}.operator`, `must be Equal or Exists, not ${quoted(operator)}`);
  }
}

function noteEffectFaults(toleration: JsonObject, path: string, problems: Problem[]): void {
  const effect = toleration.effect ?? "";
  if (effect !== "" && !effects.includes(effect)) {
    noteProblem(problems, `${path}.effect`, `must be one of ${effects.join(", ")}, not ${quoted(effect)}`);
  }
  const hasSeconds = toleration.tolerationSeconds !== undefined && toleration.tolerationSeconds !== null;
  if (hasSeconds && effect !== "NoExecute") {
    noteProblem(problems, `${path}.effect`, "must be NoExecute when tolerationSeconds is set");
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
