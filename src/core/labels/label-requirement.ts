// A requirement is one condition on a set of labels. Label selectors and node affinity are lists of requirements:
// compiled and checked once at the door, then matched against many label sets without allocating.

import { noteProblem, type Problem } from "../decision/problem.ts";
import { type Int64, isBeyond, parseInt64 } from "../values/int64.ts";
import { quoted } from "../values/shown.ts";
import { labelKeyFault, labelValueFault } from "./label-syntax.ts";

const SHOWN_CHARS_MAX = 120;

export type Labels = { readonly [key: string]: string };

export type Requirement =
  /** Two spellings of one meaning: only the text form tells `=` from `==`. */
  | { readonly op: "Equal" | "DoubleEqual" | "NotEqual"; readonly key: string; readonly value: string }
  | {
      readonly op: "In" | "NotIn";
      readonly key: string;
      /** As written, so that the text form repeats what the author said. */
      readonly values: readonly string[];
      readonly listed: ReadonlySet<string>;
    }
  | { readonly op: "Exists" | "DoesNotExist"; readonly key: string }
  | { readonly op: "Gt" | "Lt"; readonly key: string; readonly value: string; readonly bound: Int64 };

export type RequirementOp = Requirement["op"];

/** One condition as its author wrote it, of the right shape but not yet checked. */
export type WrittenRequirement = {
  readonly op: RequirementOp;
  readonly key: string;
  readonly values: readonly string[];
};

/** Gives the compiled requirement, or notes every fault of it and gives nothing. */
export function compileRequirement(
  written: WrittenRequirement,
  path: string,
  problems: Problem[],
): Requirement | undefined {
  const { op, key, values } = written;
  const faults: Problem[] = [];
  const keyFault = labelKeyFault(key);
  if (keyFault !== undefined) noteProblem(faults, `${path}.key`, `label key ${quoted(key)} ${keyFault}`);
  const countFault = valueCountFault(op, values.length);
  if (countFault !== undefined) noteProblem(faults, `${path}.values`, countFault);
  for (const [index, value] of values.entries()) {
    const valueFault = labelValueFault(value);
    if (valueFault !== undefined)
      noteProblem(faults, `${path}.values[${index}]`, `value ${quoted(value)} ${valueFault}`);
  }
  const requirement = requirementOf(op, key, values);
  if (requirement === undefined && countFault === undefined) {
    noteProblem(
      faults,
      `${path}.values[0]`,
      `value ${quoted(values[0])} must be a whole number within 64 bits for ${op}`,
    );
  }
  for (const fault of faults) noteProblem(problems, fault.path, fault.message);
  return faults.length === 0 ? requirement : undefined;
}

/** A requirement that a label has exactly this value, without a check of its syntax, as pod node selectors are read. */
export function equalRequirement(key: string, value: string): Requirement {
  return { op: "Equal", key, value };
}

/** Says whether the labels meet the requirement; a label that is no text counts as absent. */
export function meetsRequirement(requirement: Requirement, labels: Labels): boolean {
  // One read serves as the test for presence too: what objects inherit (`constructor`, `__proto__`) is never a text.
  const value: unknown = labels[requirement.key];
  switch (requirement.op) {
    case "Equal":
    case "DoubleEqual":
      return value === requirement.value;
    case "In":
      return typeof value === "string" && requirement.listed.has(value);
    case "NotEqual":
      return value !== requirement.value;
    case "NotIn":
      return typeof value !== "string" || !requirement.listed.has(value);
    case "Exists":
      return typeof value === "string";
    case "DoesNotExist":
      return typeof value !== "string";
    case "Gt":
    case "Lt":
      return typeof value === "string" && isBeyond(requirement.op, parseInt64(value), requirement.bound);
  }
}

/** The requirement as list queries spell it: `k=v`, `k in (a,b)`, `!k`, `k>5`. */
export function requirementText(requirement: Requirement): string {
  const { key } = requirement;
  switch (requirement.op) {
    case "Equal":
      return `${key}=${requirement.value}`;
    case "DoubleEqual":
      return `${key}==${requirement.value}`;
    case "NotEqual":
      return `${key}!=${requirement.value}`;
    case "In":
      return `${key} in (${sortedText(requirement.values)})`;
    case "NotIn":
      return `${key} notin (${sortedText(requirement.values)})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Gt":
      return `${key}>${requirement.value}`;
    case "Lt":
      return `${key}<${requirement.value}`;
  }
}

/** The reason of a miss, as a clause: what the labels have at the key, and what was asked. */
export function explainMiss(requirement: Requirement, labels: Labels): string {
  const value: unknown = labels[requirement.key];
  const finding = typeof value === "string" ? quoted(value) : "absent";
  return `label ${requirement.key} is ${finding}, but ${shortened(requirementText(requirement))} is asked`;
}

/** A text form cut to what fits a message: lists of values can be as long as an object allows. */
export function shortened(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

function valueCountFault(op: RequirementOp, count: number): string | undefined {
  switch (op) {
    case "In":
    case "NotIn":
      return count > 0 ? undefined : `must hold at least one value for ${op}`;
    case "Exists":
    case "DoesNotExist":
      return count === 0 ? undefined : `must be left out for ${op}`;
    case "Equal":
    case "DoubleEqual":
    case "NotEqual":
    case "Gt":
    case "Lt":
      return count === 1 ? undefined : `must hold exactly one value for ${op}`;
  }
}

function requirementOf(op: RequirementOp, key: string, values: readonly string[]): Requirement | undefined {
  const value = values[0] ?? "";
  switch (op) {
    case "In":
    case "NotIn":
      return { op, key, values, listed: new Set(values) };
    case "Exists":
    case "DoesNotExist":
      return { op, key };
    case "Equal":
    case "DoubleEqual":
    case "NotEqual":
      return { op, key, value };
    case "Gt":
    case "Lt": {
      const bound = parseInt64(value);
      return bound === undefined ? undefined : { op, key, value, bound };
    }
  }
}

/** Sorts by UTF-16 units, which is the order of bytes: label values are ASCII. */
function sortedText(values: readonly string[]): string {
  return values.toSorted().join(",");
}
