// What zod found wrong, in our words: the field as its author would find it, the value, and what would be right.
import type { z } from "zod";
import { PROBLEMS_MAX, type Problem } from "../../core/decision/problem.ts";
import { quoted } from "../../core/values/shown.ts";

type Issue = z.core.$ZodIssue;

/** The problems of an input whose root stands at `path`; at most as many as anyone reads. */
export function schemaProblems(issues: readonly Issue[], input: unknown, path: string): readonly Problem[] {
  return issues.slice(0, PROBLEMS_MAX).map((issue) => {
    return { path: pathUnder(path, issue.path), message: messageOf(issue, valueAt(input, issue.path)) };
  });
}

function pathUnder(root: string, steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    const name = String(step);
    return /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}[${quoted(name)}]`;
  }, root);
}

function valueAt(input: unknown, steps: readonly PropertyKey[]): unknown {
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    return Object.getOwnPropertyDescriptor(value, step)?.value;
  }, input);
}

function messageOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return `is required: give ${nameOfType(issue.expected)}`;
      return `must be ${nameOfType(issue.expected)}, not ${quoted(value)}`;
    case "invalid_value":
      if (value === undefined) return `is required: give one of ${issue.values.join(", ")}`;
      return `must be one of ${issue.values.map((each) => String(each) || '""').join(", ")}, not ${quoted(value)}`;
    case "too_big":
      return `${sizeOf(value)}; at most ${issue.maximum} ${unitOf(issue.origin)}`;
    case "too_small":
      return `${sizeOf(value)}; at least ${issue.minimum} ${unitOf(issue.origin)}`;
    case "invalid_format":
      return `must be ${issue.message}, not ${quoted(value)}`;
    default:
      return issue.message;
  }
}

function nameOfType(expected: string): string {
  switch (expected) {
    case "string":
      return "a text";
    case "int":
    case "number":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
      return "an object";
    default:
      return `a ${expected}`;
  }
}

function sizeOf(value: unknown): string {
  if (typeof value === "string") return `${quoted(value)} has ${value.length} characters`;
  if (Array.isArray(value)) return `has ${value.length} entries`;
  return `is ${quoted(value)}`;
}

function unitOf(origin: string): string {
  return origin === "string" ? "characters are allowed" : origin === "array" ? "entries are allowed" : "is allowed";
}
