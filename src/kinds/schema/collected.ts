// Parsing many parts of one object: every part is read, all problems are kept, and the value stands only without any.
import { noteProblem, type Parsed, type Problem } from "../../core/decision/problem.ts";

export type Collected = {
  /** The value of a parsed part; its problems are kept where it has none. */
  readonly take: <T>(parsed: Parsed<T>) => T | undefined;
  /** Keeps problems that were found in another way. */
  readonly note: (problems: readonly Problem[]) => void;
  /** The value, unless a problem was kept. */
  readonly settle: <T>(value: T) => Parsed<T>;
};

/** Starts with no problems. */
export function collected(): Collected {
  const problems: Problem[] = [];
  const note = (found: readonly Problem[]) => {
    for (const { path, message } of found) noteProblem(problems, path, message);
  };
  return {
    take: (parsed) => {
      if (parsed.ok) return parsed.value;
      note(parsed.problems);
      return undefined;
    },
    note,
    settle: (value) => (problems.length === 0 ? { ok: true, value } : { ok: false, problems }),
  };
}
