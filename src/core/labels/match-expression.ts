// One entry of matchExpressions or matchFields, read from an object nobody has checked yet.
// Label selectors and node affinity share the shape and differ in the operators they allow.

import { noteProblem, type Problem } from "../decision/problem.ts";
import { isJsonObject } from "../json/json.ts";
import { quoted } from "../values/shown.ts";
import {
  compileRequirement,
  type Requirement,
  type RequirementOp,
  type WrittenRequirement,
} from "./label-requirement.ts";

/** Compiles a list of expressions; each fault is noted at its path, and a faulty entry is left out. */
export function compileExpressions(
  expressions: unknown,
  ops: readonly RequirementOp[],
  path: string,
  problems: Problem[],
): readonly Requirement[] {
  const requirements: Requirement[] = [];
  for (const { written, at } of readExpressions(expressions, ops, path, problems)) {
    const requirement = compileRequirement(written, at, problems);
    if (requirement !== undefined) requirements.push(requirement);
  }
  return requirements;
}

/** Reads the shape of a list of expressions, each with its path; absent is an empty list. */
export function readExpressions(
  expressions: unknown,
  ops: readonly RequirementOp[],
  path: string,
  problems: Problem[],
): readonly { readonly written: WrittenRequirement; readonly at: string }[] {
  if (expressions === null || expressions === undefined) return [];
  if (!Array.isArray(expressions)) {
    noteProblem(problems, path, `must be a list, not ${quoted(expressions)}`);
    return [];
  }
  return expressions.flatMap((expression: unknown, index) => {
    const at = `${path}[${index}]`;
    const written = readExpression(expression, ops, at, problems);
    return written === undefined ? [] : [{ written, at }];
  });
}

function readExpression(
  expression: unknown,
  ops: readonly RequirementOp[],
  path: string,
  problems: Problem[],
): WrittenRequirement | undefined {
  if (!isJsonObject(expression)) {
    noteProblem(problems, path, `must be an object with key and operator, not ${quoted(expression)}`);
    return undefined;
  }
  const { key, operator, values } = expression;
  const op = ops.find((allowed) => allowed === operator);
  if (op === undefined) {
    noteProblem(problems, `${path}.operator`, `must be one of ${ops.join(", ")}, not ${quoted(operator)}`);
  }
  if (typeof key !== "string") {
    noteProblem(problems, `${path}.key`, `must be a text, not ${quoted(key)}`);
  }
  const texts = readTexts(values ?? [], `${path}.values`, problems);
  if (op === undefined || typeof key !== "string" || texts === undefined) return undefined;
  return { op, key, values: texts };
}

function readTexts(values: unknown, path: string, problems: Problem[]): readonly string[] | undefined {
  if (!Array.isArray(values)) {
    noteProblem(problems, path, `must be a list of texts, not ${quoted(values)}`);
    return undefined;
  }
  const list: readonly unknown[] = values;
  const texts: string[] = [];
  for (const [index, value] of list.entries()) {
    if (typeof value === "string") texts.push(value);
    else noteProblem(problems, `${path}[${index}]`, `must be a text, not ${quoted(value)}; put it in quotes`);
  }
  return texts.length === list.length ? texts : undefined;
}
