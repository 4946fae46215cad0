// Required node affinity: a pod's nodeSelector and the terms of
// affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution, compiled once per template, matched per node.
// A term with a syntax fault never matches, but does not spoil the others: that is how the scheduler reads it.

import { noteProblem, type Problem } from "../decision/problem.ts";
import type { Verdict } from "../decision/verdict.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import {
  equalRequirement,
  explainMiss,
  type Labels,
  meetsRequirement,
  type Requirement,
  type RequirementOp,
} from "../labels/label-requirement.ts";
import { allOf, explainLabels, type LabelSelector, matchLabels } from "../labels/label-selector.ts";
import { compileExpressions, readExpressions } from "../labels/match-expression.ts";
import { quoted, shown } from "../values/shown.ts";

export type NodeIdentity = { readonly name: string; readonly labels: Labels };

export type NodeAffinity = {
  readonly nodeSelector: LabelSelector;
  /** One matching term is enough. Undefined when the pod asks for nothing; an empty list matches no node. */
  readonly terms: readonly NodeTerm[] | undefined;
  /** Why the pod spec cannot be read at all; then it matches no node. */
  readonly unreadable: Problem | undefined;
  /** Every fault found; each belongs to a term that can no longer match, or makes the whole unreadable. */
  readonly problems: readonly Problem[];
};

type NodeTerm = {
  readonly rule: string;
  readonly expressions: readonly Requirement[];
  readonly fields: readonly FieldRequirement[];
  /** The first fault; a term that has one matches nothing. */
  readonly fault: string | undefined;
};

type FieldRequirement = { readonly field: string; readonly value: string; readonly isWanted: boolean };

const expressionOps: readonly RequirementOp[] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
const fieldOps: readonly RequirementOp[] = ["In", "NotIn"];
const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

/** An explanation shows this many terms; objects can hold thousands. */
export const TERM_VERDICTS_MAX = 20;

/** Compiles a pod spec's node requirements. Never fails: what cannot be read matches no node and is listed as a problem. */
export function compileNodeAffinity(podSpec: unknown, path = "spec"): NodeAffinity {
  const problems: Problem[] = [];
  const spec = sectionOf(podSpec, path, problems);
  const nodeSelector = compileNodeSelector(spec?.nodeSelector, `${path}.nodeSelector`, problems);
  const affinity = sectionOf(spec?.affinity, `${path}.affinity`, problems);
  const nodeAffinity = sectionOf(affinity?.nodeAffinity, `${path}.affinity.nodeAffinity`, problems);
  const requiredPath = `${path}.affinity.nodeAffinity.${requiredTerms}`;
  const required = sectionOf(nodeAffinity?.[requiredTerms], requiredPath, problems);
  const written = termsOf(required, `${requiredPath}.nodeSelectorTerms`, problems);
  // Up to here a problem is a wrong shape; from here on it concerns one term.
  const unreadable = problems[0];
  const terms =
    written === undefined ? undefined : compileTerms(written, `${requiredPath}.nodeSelectorTerms`, problems);
  return { nodeSelector, terms, unreadable, problems };
}

/** Says whether the node meets the nodeSelector and at least one required term. */
export function matchNodeAffinity(affinity: NodeAffinity, node: NodeIdentity): boolean {
  if (affinity.unreadable !== undefined) return false;
  if (!matchLabels(affinity.nodeSelector, node.labels)) return false;
  if (affinity.terms === undefined) return true;
  for (const term of affinity.terms) {
    if (matchTerm(term, node)) return true;
  }
  return false;
}

/** Matches the same way and gives one verdict per rule looked at: the nodeSelector, then the terms in order. */
export function explainNodeAffinity(affinity: NodeAffinity, node: NodeIdentity): readonly Verdict[] {
  if (affinity.unreadable !== undefined) {
    const { path, message } = affinity.unreadable;
    return [{ rule: path, matched: false, because: `it ${message}` }];
  }
  const trail: Verdict[] = [];
  if (!isEverything(affinity.nodeSelector)) {
    const verdict = explainLabels("nodeSelector", affinity.nodeSelector, node.labels);
    trail.push(verdict);
    if (!verdict.matched) return trail;
  }
  if (affinity.terms === undefined) return trail;
  for (const term of affinity.terms.slice(0, TERM_VERDICTS_MAX)) {
    const verdict = explainTerm(term, node);
    trail.push(verdict);
    if (verdict.matched) return trail;
  }
  // One term speaks for itself; after several, the sum of them is the reason.
  return affinity.terms.length === 1 ? trail : [...trail, explainRest(affinity.terms, node)];
}

function compileNodeSelector(nodeSelector: unknown, path: string, problems: Problem[]): LabelSelector {
  const labels = sectionOf(nodeSelector, path, problems) ?? {};
  const requirements = Object.entries(labels).flatMap(([key, value]) => {
    if (typeof value === "string") return [equalRequirement(key, value)];
    noteProblem(problems, `${path}[${quoted(key)}]`, `must be a text, not ${quoted(value)}; put it in quotes`);
    return [];
  });
  return allOf(requirements);
}

/** The list of terms as written; undefined when there is no required section, and empty when nobody can read it. */
function termsOf(required: JsonObject | undefined, path: string, problems: Problem[]): readonly unknown[] | undefined {
  if (required === undefined) return undefined;
  const terms = required.nodeSelectorTerms ?? [];
  if (Array.isArray(terms)) return terms;
  noteProblem(problems, path, `must be a list, not ${quoted(terms)}`);
  return [];
}

function compileTerms(terms: readonly unknown[], path: string, problems: Problem[]): readonly NodeTerm[] {
  return terms.flatMap((term, index) => {
    const faults: Problem[] = [];
    const compiled = compileTerm(term, index, `${path}[${index}]`, faults);
    for (const fault of faults) noteProblem(problems, fault.path, fault.message);
    return compiled === undefined ? [] : [compiled];
  });
}

/** A term without any condition is skipped, because it matches nothing. */
function compileTerm(term: unknown, index: number, path: string, faults: Problem[]): NodeTerm | undefined {
  const section = sectionOf(term, path, faults);
  const expressions = compileExpressions(section?.matchExpressions, expressionOps, `${path}.matchExpressions`, faults);
  const fields = compileFields(section?.matchFields, `${path}.matchFields`, faults);
  const fault = faults[0]?.message;
  if (fault === undefined && expressions.length + fields.length === 0) return undefined;
  return { rule: `nodeSelectorTerms[${index}]`, expressions, fields, fault };
}

function compileFields(fields: unknown, path: string, faults: Problem[]): readonly FieldRequirement[] {
  return readExpressions(fields, fieldOps, path, faults).flatMap(({ written, at }) => {
    const [value, second] = written.values;
    if (value === undefined || second !== undefined) {
      noteProblem(faults, `${at}.values`, `must hold exactly one value for field ${quoted(written.key)}`);
      return [];
    }
    return [{ field: written.key, value, isWanted: written.op === "In" }];
  });
}

function matchTerm(term: NodeTerm, node: NodeIdentity): boolean {
  if (term.fault !== undefined) return false;
  for (const expression of term.expressions) {
    if (!meetsRequirement(expression, node.labels)) return false;
  }
  for (const field of term.fields) {
    if (!meetsField(field, node)) return false;
  }
  return true;
}

/** The scheduler knows one field; every other reads as empty, and a node without a name passes all field conditions. */
function meetsField(requirement: FieldRequirement, node: NodeIdentity): boolean {
  if (node.name === "") return true;
  const value = requirement.field === "metadata.name" ? node.name : "";
  return (value === requirement.value) === requirement.isWanted;
}

function explainTerm(term: NodeTerm, node: NodeIdentity): Verdict {
  const { rule } = term;
  if (term.fault !== undefined) return { rule, matched: false, because: `the term has a fault: ${term.fault}` };
  const failed = term.expressions.find((expression) => !meetsRequirement(expression, node.labels));
  if (failed !== undefined) return { rule, matched: false, because: explainMiss(failed, node.labels) };
  const field = term.fields.find((each) => !meetsField(each, node));
  if (field === undefined) return { rule, matched: true, because: `node ${shown(node.name)} meets all its conditions` };
  const asked = field.isWanted ? "must be" : "must not be";
  const because = `field ${shown(field.field)} of node ${shown(node.name)} ${asked} ${quoted(field.value)}`;
  return { rule, matched: false, because };
}

function explainRest(terms: readonly NodeTerm[], node: NodeIdentity): Verdict {
  const rest = terms.slice(TERM_VERDICTS_MAX);
  const rule = "nodeSelectorTerms";
  const found = rest.find((term) => matchTerm(term, node));
  if (found !== undefined)
    return { rule: found.rule, matched: true, because: `node ${shown(node.name)} meets all its conditions` };
  const because =
    terms.length === 0 ? "it holds no term with a condition" : `none of its ${terms.length} terms matches`;
  return { rule, matched: false, because };
}

function isEverything(selector: LabelSelector): boolean {
  return selector.kind === "all-of" && selector.requirements.length === 0;
}

function sectionOf(value: unknown, path: string, problems: Problem[]): JsonObject | undefined {
  if (value === null || value === undefined) return undefined;
  if (isJsonObject(value)) return value;
  noteProblem(problems, path, `must be an object, not ${quoted(value)}`);
  return undefined;
}
