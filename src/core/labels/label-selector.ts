// A label selector as Kubernetes objects carry it (matchLabels, matchExpressions): compiled and checked at the door,
// then matched, explained, or written as text for list queries.
//
// This folder reads labels and matches selectors as the API server does. Beside this file:
//   label-requirement.ts, match-expression.ts  one condition, compiled and matched
//   label-selector-text.ts                     the text form that kubectl and list queries use
//   label-selector-cover.ts                    whether one selector makes another useless
//   label-syntax.ts                            which keys, values and names are legal
//   label-safe.ts, safe-label-value.ts         any text as a legal value: unique, or only readable

import { noteProblem, type Parsed, type Problem } from "../decision/problem.ts";
import type { Verdict } from "../decision/verdict.ts";
import { isJsonObject } from "../json/json.ts";
import { quoted } from "../values/shown.ts";
import {
  equalRequirement,
  explainMiss,
  type Labels,
  meetsRequirement,
  type Requirement,
  type RequirementOp,
  requirementText,
  shortened,
} from "./label-requirement.ts";
import { labelKeyFault, labelValueFault } from "./label-syntax.ts";
import { compileExpressions } from "./match-expression.ts";

export type LabelSelector =
  /** No selector was given: it matches no labels at all. */
  | { readonly kind: "nothing" }
  /** Every requirement must hold; with no requirement at all it matches all labels. Sorted by key. */
  | { readonly kind: "all-of"; readonly requirements: readonly Requirement[] };

const noLabels: Labels = Object.freeze({});
const selectorOps: readonly RequirementOp[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/** Compiles a selector as found in an object: absent matches nothing, empty matches everything, faults are listed. */
export function compileLabelSelector(selector: unknown, path = "selector"): Parsed<LabelSelector> {
  if (selector === null || selector === undefined) return { ok: true, value: { kind: "nothing" } };
  if (!isJsonObject(selector)) {
    return { ok: false, problems: [{ path, message: `must be an object, not ${quoted(selector)}` }] };
  }
  const problems: Problem[] = [];
  const requirements = [
    ...compileMatchLabels(selector.matchLabels, `${path}.matchLabels`, problems),
    ...compileExpressions(selector.matchExpressions, selectorOps, `${path}.matchExpressions`, problems),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: allOf(requirements) };
}

/** A selector of these requirements, sorted by key; requirements of one key keep their order. */
export function allOf(requirements: readonly Requirement[]): LabelSelector {
  // Valid keys are ASCII, where the order of UTF-16 units is the order of bytes.
  return {
    kind: "all-of",
    requirements: requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
  };
}

/** Says whether the selector matches the labels; absent labels are an empty set. */
export function matchLabels(selector: LabelSelector, labels: Labels | null | undefined): boolean {
  if (selector.kind === "nothing") return false;
  const given = labels ?? noLabels;
  for (const requirement of selector.requirements) {
    if (!meetsRequirement(requirement, given)) return false;
  }
  return true;
}

/** Matches the same way and says which requirement failed, or what held. */
export function explainLabels(rule: string, selector: LabelSelector, labels: Labels | null | undefined): Verdict {
  if (selector.kind === "nothing") return { rule, matched: false, because: "there is no selector, so nothing matches" };
  const given = labels ?? noLabels;
  const failed = selector.requirements.find((requirement) => !meetsRequirement(requirement, given));
  if (failed !== undefined) return { rule, matched: false, because: explainMiss(failed, given) };
  const text = shortened(labelSelectorText(selector));
  return {
    rule,
    matched: true,
    because: text === "" ? "the selector is empty, so everything matches" : `the labels meet ${text}`,
  };
}

/** The selector as list queries spell it. Caveat: empty for "nothing" too, which as a query would mean everything. */
export function labelSelectorText(selector: LabelSelector): string {
  return selector.kind === "nothing" ? "" : selector.requirements.map(requirementText).join(",");
}

function compileMatchLabels(matchLabels: unknown, path: string, problems: Problem[]): readonly Requirement[] {
  if (matchLabels === null || matchLabels === undefined) return [];
  if (!isJsonObject(matchLabels)) {
    noteProblem(problems, path, `must be an object of label keys and values, not ${quoted(matchLabels)}`);
    return [];
  }
  return Object.entries(matchLabels).flatMap(([key, value]) => {
    const fault = labelFault(key, value);
    if (fault === undefined && typeof value === "string") return [equalRequirement(key, value)];
    noteProblem(problems, `${path}[${quoted(key)}]`, fault ?? "must be a text");
    return [];
  });
}

function labelFault(key: string, value: unknown): string | undefined {
  const keyFault = labelKeyFault(key);
  if (keyFault !== undefined) return `label key ${keyFault}`;
  if (typeof value !== "string") return `must be a text, not ${quoted(value)}; put it in quotes`;
  const valueFault = labelValueFault(value);
  return valueFault === undefined ? undefined : `value ${quoted(value)} ${valueFault}`;
}
