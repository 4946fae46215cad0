// Random pods and nodes: required node affinity alone, and the whole question whether a daemon belongs on a node.
import fc from "fast-check";
import type { JsonObject } from "../../src/core/json/json.ts";
import { dictionaries, mostly } from "./arbitrary-json.ts";
import { type TaintText, type TolerationText, taints, tolerations } from "./cases-taint.ts";
import { labelKeys, labelSets, labelValues, numberTexts } from "./label-words.ts";

type PodSpec = {
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly affinity?: JsonObject;
  readonly tolerations?: readonly TolerationText[];
  readonly hostNetwork?: boolean;
};

export type PlacementCase = {
  readonly podSpec: PodSpec;
  readonly node: {
    readonly metadata: { readonly name: string; readonly labels: { readonly [key: string]: string } };
    readonly spec: { readonly taints?: readonly TaintText[] };
  };
  readonly comparisonOperators: boolean;
};

const nodeNames = ["n1", "n2"];

const operators = mostly(
  fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
  20,
  fc.constantFrom("", "in", "Equals"),
);

const anyExpression = fc.record(
  { key: labelKeys, operator: operators, values: fc.array(labelValues, { maxLength: 3 }) },
  { requiredKeys: ["key", "operator"] },
);

/** The number of values that each operator wants, so that most terms are well-formed. */
const fittingExpression = fc
  .tuple(labelKeys, operators, fc.array(labelValues, { minLength: 1, maxLength: 3 }), numberTexts)
  .map(([key, operator, values, number]) => {
    if (operator === "Exists" || operator === "DoesNotExist") return { key, operator };
    return { key, operator, values: operator === "Gt" || operator === "Lt" ? [number] : values };
  });

const anyField = fc.record({
  key: mostly(fc.constant("metadata.name"), 5, fc.constantFrom("metadata.namespace", "", "spec.nodeName")),
  operator: mostly(fc.constantFrom("In", "NotIn"), 5, operators),
  values: mostly(
    fc.constantFrom(...nodeNames, "").map((name) => [name]),
    5,
    fc.array(fc.constantFrom(...nodeNames), { maxLength: 2 }),
  ),
});

const terms = fc.record(
  {
    matchExpressions: fc.array(
      fc.oneof({ weight: 6, arbitrary: fittingExpression }, { weight: 1, arbitrary: anyExpression }),
      { maxLength: 2 },
    ),
    matchFields: fc.array(anyField, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

const required = fc.record({ nodeSelectorTerms: fc.array(terms, { maxLength: 3 }) });
const nodeAffinity = fc.record({ requiredDuringSchedulingIgnoredDuringExecution: required }, { requiredKeys: [] });
const affinity = fc.record({ nodeAffinity }, { requiredKeys: [] });
const nodeSelector = dictionaries(["a", "b", "-odd key"], labelValues, 2);

const node = fc.record({
  metadata: fc.record({ name: mostly(fc.constantFrom(...nodeNames), 9, fc.constant("")), labels: labelSets }),
  spec: fc.record({ taints, unschedulable: fc.boolean() }, { requiredKeys: [] }),
});

/** A pod's nodeSelector and required affinity against a node. */
export const affinityCases: fc.Arbitrary<PlacementCase> = fc.record({
  podSpec: fc.record({ nodeSelector, affinity }, { requiredKeys: [] }),
  node,
  comparisonOperators: fc.constant(false),
});

/** A daemon's pod template against a node; mostly one that fits, so that the taints come to be asked. */
export const shouldRunCases: fc.Arbitrary<PlacementCase> = fc.record({
  podSpec: fc.record(
    {
      nodeName: mostly(fc.constant(""), 4, fc.constantFrom(...nodeNames)),
      nodeSelector: mostly(fc.constant({}), 4, nodeSelector),
      affinity: mostly(fc.constant({}), 2, affinity),
      tolerations,
      hostNetwork: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  node,
  comparisonOperators: fc.boolean(),
});
