// Every comparison of our core with Go: where its cases come from, and how our functions are asked the oracle's question.

import type { Parsed, Problem } from "../../src/core/decision/problem.ts";
import { canonicalJson } from "../../src/core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json } from "../../src/core/json/json.ts";
import { parseJson } from "../../src/core/json/parse-json.ts";
import type { Labels } from "../../src/core/labels/label-requirement.ts";
import {
  compileLabelSelector,
  type LabelSelector,
  labelSelectorText,
  matchLabels,
} from "../../src/core/labels/label-selector.ts";
import { parseLabelSelector } from "../../src/core/labels/label-selector-text.ts";
import { compileDaemonEligibility, matchDaemonEligibility } from "../../src/core/scheduling/daemon-eligibility.ts";
import { withDaemonTolerations } from "../../src/core/scheduling/daemon-tolerations.ts";
import { compileNodeAffinity, matchNodeAffinity } from "../../src/core/scheduling/node-affinity.ts";
import {
  findUntoleratedTaint,
  parseTaints,
  parseTolerations,
  toleratesTaint,
} from "../../src/core/scheduling/taints.ts";
import { StrategicMergeError } from "../../src/core/strategic-merge/error.ts";
import { strategicMerge, strategicMergeTraced } from "../../src/core/strategic-merge/strategic-merge.ts";
import { compileGoRegexp, matchesGoRegexp } from "../../src/core/values/go-regexp.ts";
import { parseIntOrPercent, scaled } from "../../src/core/values/int-or-percent.ts";
import { compareQuantities, parseQuantity } from "../../src/core/values/quantity.ts";
import { quantityText } from "../../src/core/values/quantity-text.ts";
import { type ScaleCase, scaleCases } from "./cases-int-or-percent.ts";
import { type JsonCase, jsonCases } from "./cases-json.ts";
import { affinityCases, type PlacementCase, shouldRunCases } from "./cases-placement.ts";
import { type QuantityCase, quantityCases } from "./cases-quantity.ts";
import { type RegexpCase, regexpCases } from "./cases-regexp.ts";
import { type SelectorCase, type SelectorTextCase, selectorCases, selectorTextCases } from "./cases-selector.ts";
import { type MergeCase, mergeCases } from "./cases-smp.ts";
import { type TaintCase, taintCases } from "./cases-taint.ts";
import { type Comparison, isSameAnswer } from "./find-difference.ts";
import type { Answer } from "./oracle.ts";
import { isSameJson } from "./same-json.ts";

const answered = (value: Json): Answer => ({ kind: "value", value });
const refused = (problems: readonly Problem[]): Answer => ({
  kind: "refused",
  why: problems.map(({ message }) => message).join("; "),
});

const merge: Comparison<MergeCase> = {
  name: "strategic merge",
  concept: "smp",
  share: 10,
  cases: mergeCases(),
  ours: ({ original, patches }) => merged(() => patches.reduce<Json>(strategicMerge, original)),
  agrees: agreesOnMerge,
};

const tracedMerge: Comparison<MergeCase> = {
  name: "traced strategic merge",
  concept: "smp",
  share: 2,
  cases: mergeCases(),
  ours: ({ original, patches }) => {
    const layers = patches.map((patch, index) => ({ name: `patch ${index}`, patch }));
    return merged(() => strategicMergeTraced(original, layers).value);
  },
  agrees: agreesOnMerge,
};

/** Any other error than a refusal is a crash, and ends the comparison. */
function merged(merge: () => Json): Answer {
  try {
    return answered(merge());
  } catch (error) {
    if (error instanceof StrategicMergeError) return { kind: "refused", why: `${error.kind}: ${error.message}` };
    throw error;
  }
}

/** Go lists the outcomes that its random order of keys leads to; ours must be one of them. */
function agreesOnMerge(go: Answer, ours: Answer): boolean {
  if (go.kind === "refused" || !isJsonObject(go.value) || !isJsonList(go.value.outcomes)) return isSameAnswer(go, ours);
  return go.value.outcomes.some((outcome) => {
    if (!isJsonObject(outcome)) return false;
    return ours.kind === "refused" ? outcome.error !== undefined : isSameJson(outcome.result ?? null, ours.value);
  });
}

const selector: Comparison<SelectorCase> = {
  name: "label selector",
  concept: "selector",
  share: 2,
  cases: selectorCases,
  ours: ({ selector, labels }) => matchedBy(compileLabelSelector(selector), labels),
};

const selectorText: Comparison<SelectorTextCase> = {
  name: "label selector as text",
  concept: "selectorText",
  share: 2,
  cases: selectorTextCases,
  ours: ({ text, labels }) => matchedBy(parseLabelSelector(text), labels),
};

function matchedBy(parsed: Parsed<LabelSelector>, labels: Labels): Answer {
  if (!parsed.ok) return refused(parsed.problems);
  return answered({ matches: matchLabels(parsed.value, labels), text: labelSelectorText(parsed.value) });
}

const taint: Comparison<TaintCase> = {
  name: "taints and tolerations",
  concept: "taint",
  share: 2,
  cases: taintCases,
  ours: ({ taints, tolerations, effects, comparisonOperators }) => {
    const nodeTaints = parseTaints(taints);
    // Read one by one: a toleration that can tolerate nothing is left out of a list.
    const tolerates = tolerations.map((one) => {
      const [toleration] = parseTolerations([one], { comparisonOperators });
      return nodeTaints.map((each) => toleration !== undefined && toleratesTaint(toleration, each));
    });
    const all = parseTolerations(tolerations, { comparisonOperators });
    const first = findUntoleratedTaint(nodeTaints, all, effects.length === 0 ? undefined : effects);
    return answered({ tolerates, untolerated: nodeTaints.findIndex((each) => isSameTaint(each, first)) });
  },
};

/** Go answers with a copy, so equal taints cannot be told apart: the index is that of the first one like it. */
function isSameTaint(left: LabelledTaint, right: LabelledTaint | undefined): boolean {
  return left.key === right?.key && left.value === right.value && left.effect === right.effect;
}
type LabelledTaint = { readonly key: string; readonly value: string; readonly effect: string };

const affinity: Comparison<PlacementCase> = {
  name: "required node affinity",
  concept: "affinity",
  share: 2,
  cases: affinityCases,
  ours: ({ podSpec, node }) => answered({ matches: matchNodeAffinity(compileNodeAffinity(podSpec), node.metadata) }),
};

const shouldRun: Comparison<PlacementCase> = {
  name: "whether a daemon runs on a node",
  concept: "shouldRun",
  share: 2,
  cases: shouldRunCases,
  ours: ({ podSpec, node, comparisonOperators }) => {
    const eligibility = compileDaemonEligibility(podSpec, { comparisonOperators });
    const taints = parseTaints(node.spec.taints);
    const tolerations = withDaemonTolerations(podSpec.tolerations ?? [], podSpec.hostNetwork === true);
    // Go has no answer to whether the node is only lost for now.
    const placement = matchDaemonEligibility(eligibility, { ...node.metadata, taints });
    return answered({
      shouldRun: placement.shouldRun,
      shouldContinueRunning: placement.shouldContinueRunning,
      tolerations: tolerations.map(withoutEmptyTexts),
    });
  },
};

/** Go writes no field that is empty. */
function withoutEmptyTexts(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== ""));
}

const intOrPercent: Comparison<ScaleCase> = {
  name: "number or percentage",
  concept: "intOrPercent",
  share: 1,
  cases: scaleCases,
  ours: ({ value, total, roundUp }) => {
    const parsed = parseIntOrPercent(value, "value");
    if (!parsed.ok) return refused(parsed.problems);
    return answered({ scaled: scaled(parsed.value, total, roundUp ? "up" : "down") });
  },
};

const regexp: Comparison<RegexpCase> = {
  name: "regular expression",
  concept: "regexp",
  share: 2,
  cases: regexpCases,
  ours: ({ pattern, texts }) => {
    const compiled = compileGoRegexp(pattern);
    if (!compiled.ok) return refused(compiled.problems);
    return answered({ matches: texts.map((text) => matchesGoRegexp(compiled.value, text)) });
  },
};

const quantity: Comparison<QuantityCase> = {
  name: "quantity",
  concept: "quantity",
  share: 2,
  cases: quantityCases,
  ours: ({ left, right }) => {
    const first = parseQuantity(left);
    const second = parseQuantity(right);
    if (!first.ok) return refused(first.problems);
    if (!second.ok) return refused(second.problems);
    return answered({
      left: quantityText(first.value),
      right: quantityText(second.value),
      order: compareQuantities(first.value, second.value),
    });
  },
};

const json: Comparison<JsonCase> = {
  name: "canonical JSON",
  concept: "json",
  share: 2,
  cases: jsonCases,
  ours: ({ text }) => {
    const parsed = parseJson(text);
    return parsed.ok ? answered({ text: canonicalJson(parsed.value) }) : refused(parsed.problems);
  },
};

/** All comparisons, each with its share of the cases of a run. */
export const comparisons: readonly Comparison[] = [
  merge,
  tracedMerge,
  selector,
  selectorText,
  taint,
  affinity,
  shouldRun,
  intOrPercent,
  regexp,
  quantity,
  json,
];
