// A label selector over nodes as a pod spec says it: node affinity, which can hold every condition that a selector can.
import type { JsonObject } from "../../../core/json/json.ts";
import type { Requirement } from "../../../core/labels/label-requirement.ts";
import type { LabelSelector } from "../../../core/labels/label-selector.ts";

/** The part of a pod spec that keeps its pods to nodes that the selector matches; empty where every node is meant. */
export function requirementsAffinity(selector: LabelSelector): JsonObject {
  if (selector.kind === "all-of" && selector.requirements.length === 0) return {};
  const matchExpressions = selector.kind === "nothing" ? [] : selector.requirements.map(expressionOf);
  const nodeSelectorTerms = matchExpressions.length === 0 ? [] : [{ matchExpressions }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

function expressionOf(requirement: Requirement): JsonObject {
  const { key } = requirement;
  switch (requirement.op) {
    case "Equal":
    case "DoubleEqual":
      return { key, operator: "In", values: [requirement.value] };
    case "NotEqual":
      return { key, operator: "NotIn", values: [requirement.value] };
    case "In":
    case "NotIn":
      return { key, operator: requirement.op, values: [...requirement.values] };
    case "Exists":
    case "DoesNotExist":
      return { key, operator: requirement.op };
    case "Gt":
    case "Lt":
      return { key, operator: requirement.op, values: [requirement.value] };
  }
}
