// A problem is one thing wrong with an input, at the path where its author wrote it.
// Parsers at the door hand back problems as values; nothing behind the door has to check again.

export type Problem = {
  /** Where the fault stands, as a user would find it: `spec.selector.matchExpressions[2].operator`. */
  readonly path: string;
  /** What is wrong and what would be right. */
  readonly message: string;
};

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Nobody reads more faults than this, and an object of 1 MiB can hold a hundred thousand. */
export const PROBLEMS_MAX = 50;

/** Adds a problem unless the list is already as long as anyone would read. */
export function noteProblem(problems: Problem[], path: string, message: string): void {
  if (problems.length < PROBLEMS_MAX) problems.push({ path, message });
}
