// How a rule is shown: the smallest file that breaks it, and its neighbour that does not.
import type { RuleName } from "../tidy.ts";

export type RuleCase = {
  readonly path: string;
  readonly bad: string;
  readonly good: string;
  readonly says: RegExp;
  /** Where the neighbour lies, if the path itself is what is wrong. */
  readonly goodPath?: string;
};

export type RuleCases = Readonly<Partial<Record<RuleName, readonly RuleCase[]>>>;
