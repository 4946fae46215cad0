// The one outcome of every node: fitted, held, unknown, none or excluded, with its reason. The status counts these, and explaining
// prints one of them.
import type { Fitting } from "../../core/fitting.ts";
import type { Hold } from "../../core/plan.ts";
import type { Reason } from "../../core/reasons.ts";
import type { Resolved } from "./resolver.ts";

export type OutcomeKind = "fitted" | "held" | "unknown" | "none" | "excluded";

export type NodeOutcome = { readonly is: OutcomeKind; readonly reason: Reason; readonly because: string };

/** Reasons that pass by themselves while we work; every other one waits for somebody. */
const passing: readonly Reason[] = [
  ...(["Progressing", "HandOver", "BudgetSpent", "Settling", "WaitingForWorkload", "WaitingForImage"] as const),
];

/** Whether a reason passes without anybody's help. */
export function isPassing(reason: Reason): boolean {
  return passing.includes(reason);
}

/** What fitting says of nodes, by name: what they wait for, or what is done to them now. */
export function waitsOf({ held, starting, binds, unbinds, deletes }: Fitting<unknown>): ReadonlyMap<string, Hold> {
  const waits = new Map<string, Hold>();
  for (const { node, why } of [...binds, ...unbinds, ...deletes]) {
    waits.set(node, { node, reason: "Progressing", because: why });
  }
  for (const hold of [...starting, ...held]) waits.set(hold.node, hold);
  return waits;
}

/** The outcome of one node; `wait` is what it waits for, if anything. */
export function outcomeOfNode({ outcome }: Resolved, wait: Hold | undefined): NodeOutcome {
  const { gets, isExcluded, reason, because } = outcome;
  if (isExcluded) return { is: "excluded", reason, because };
  if (reason === "FactUnknown" || reason === "ImageInvalid") return { is: "unknown", reason, because };
  if (gets.kind === "nothing") return { is: "none", reason, because };
  if (wait !== undefined) return { is: "held", reason: wait.reason, because: wait.because };
  return { is: gets.kind === "same" ? "held" : "fitted", reason, because };
}
