// Random taints and tolerations over few keys, values and effects.
import fc from "fast-check";
import { mostly } from "./arbitrary-json.ts";
import { numberTexts } from "./label-words.ts";

export type TaintText = { readonly key: string; readonly value?: string; readonly effect: string };
export type TolerationText = {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
};

export type TaintCase = {
  readonly taints: readonly TaintText[];
  readonly tolerations: readonly TolerationText[];
  readonly effects: readonly string[];
  readonly comparisonOperators: boolean;
};

const conditions = ["not-ready", "unreachable", "disk-pressure", "unschedulable", "network-unavailable"];
const keys = ["a", "b", ...conditions.map((condition) => `node.kubernetes.io/${condition}`)];
const effects = ["NoSchedule", "NoExecute", "PreferNoSchedule"];
const operators = ["Equal", "Exists", "Lt", "Gt", "", "exists", "Other"];
const values = fc.oneof(fc.constantFrom("", "x", "y"), numberTexts);
const someEffect = mostly(fc.constantFrom(...effects), 12, fc.constantFrom("", "noschedule", "Other"));

/** Taints as a node carries them; a pair of key and effect may occur twice, which the API server would refuse. */
export const taints: fc.Arbitrary<readonly TaintText[]> = fc.array(
  fc.record({ key: fc.constantFrom(...keys), value: values, effect: someEffect }, { requiredKeys: ["key", "effect"] }),
  { maxLength: 4 },
);

/** Tolerations as a pod carries them. */
export const tolerations: fc.Arbitrary<readonly TolerationText[]> = fc.array(
  fc.record(
    {
      key: fc.constantFrom("", ...keys),
      operator: fc.constantFrom(...operators),
      value: values,
      effect: someEffect,
      tolerationSeconds: fc.nat(9),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 4 },
);

/** Taints against tolerations, with and without a choice of effects and the comparison operators. */
export const taintCases: fc.Arbitrary<TaintCase> = fc.record({
  taints,
  tolerations,
  effects: fc.subarray(effects),
  comparisonOperators: fc.boolean(),
});
