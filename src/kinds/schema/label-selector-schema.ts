// A full label selector as a field of a custom resource: the shape for the API server, and the limits that both sides keep.
// What the shape means is compiled by the core (label-selector.ts).

import type { Parsed, Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { compileLabelSelector, type LabelSelector } from "../../core/labels/label-selector.ts";
import { kubeSchema } from "./kube-schema.ts";

export const SELECTOR_ENTRIES_MAX = 64;
export const LABEL_KEY_MAX = 317;
const LABEL_VALUE_MAX = 63;
/** What the core's label syntax says, as far as a pattern can; lengths are limits of their own. */
export const LABEL_KEY_PATTERN =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*[/])?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const LABEL_VALUE_PATTERN = "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$";

/** A value of a label. The keys of a map have no schema, and a CEL rule over them would cost more than is allowed: code checks them. */
export const labelValue = Object.freeze({
  ...{ type: "string", maxLength: LABEL_VALUE_MAX, pattern: LABEL_VALUE_PATTERN },
});
const expression = {
  type: "object",
  description: "One condition on one label.",
  required: ["key", "operator"],
  properties: {
    key: {
      ...{ type: "string", maxLength: LABEL_KEY_MAX, pattern: LABEL_KEY_PATTERN.source },
      description: "The key of the label.",
    },
    operator: {
      type: "string",
      enum: ["In", "NotIn", "Exists", "DoesNotExist"],
      description: "How the label is compared with the values.",
    },
    values: {
      type: "array",
      description: "The values for In and NotIn; none for the others.",
      maxItems: SELECTOR_ENTRIES_MAX,
      "x-kubernetes-list-type": "atomic",
      items: labelValue,
    },
  },
} as const;

const selectorShape = {
  "x-kubernetes-map-type": "atomic",
  properties: {
    matchLabels: {
      type: "object",
      description: "Labels that must have exactly these values.",
      maxProperties: SELECTOR_ENTRIES_MAX,
      additionalProperties: labelValue,
    },
    matchExpressions: {
      type: "array",
      description: "Conditions that must all hold.",
      maxItems: SELECTOR_ENTRIES_MAX,
      "x-kubernetes-list-type": "atomic",
      items: expression,
    },
  },
} as const;

/** Builds the field; what it selects stands in the description. */
export const labelSelectorSchema = {
  over: (description: string) => kubeSchema.checkedByCode(description, selectorShape),
} as const;

/** Compiles a selector within the limits of the schema. */
export function parseLabelSelector(selector: JsonObject, path: string): Parsed<LabelSelector> {
  const problems = ["matchLabels", "matchExpressions"].flatMap((field): readonly Problem[] => {
    const entries = entriesIn(selector[field]);
    if (entries <= SELECTOR_ENTRIES_MAX) return [];
    const message = `has ${entries} entries; at most ${SELECTOR_ENTRIES_MAX} are allowed`;
    return [{ path: `${path}.${field}`, message }];
  });
  return problems.length > 0 ? { ok: false, problems } : compileLabelSelector(selector, path);
}

function entriesIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}
