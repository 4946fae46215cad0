// What admission says of an object: problems refuse it, warnings are shown to its author and nothing more.
import { PROBLEMS_MAX, type Problem } from "../../core/decision/problem.ts";
import type { Admission } from "../kind.ts";

/** The API server cuts longer warnings, and clients show them one by one. */
export const WARNINGS_MAX = 20;

/** Puts findings together, without repeating any and without more than anyone reads. */
export function admission(...parts: readonly Partial<Admission>[]): Admission {
  const problems = parts.flatMap((part) => part.problems ?? []);
  const warnings = parts.flatMap((part) => part.warnings ?? []);
  const distinct = new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem]));
  return {
    problems: [...distinct.values()].slice(0, PROBLEMS_MAX),
    warnings: [...new Set(warnings)].slice(0, WARNINGS_MAX),
  };
}

/** A problem at a path, as a list: most checks find none or one. */
export function problem(path: string, message: string): readonly Problem[] {
  return [{ path, message }];
}

/** The problems of a parsed value; none if it was accepted. */
export function problemsOf(parsed: {
  readonly ok: boolean;
  readonly problems?: readonly Problem[];
}): readonly Problem[] {
  return parsed.problems ?? [];
}
