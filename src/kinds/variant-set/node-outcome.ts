// The one outcome of every node: fitted, held, unknown, none or excluded, with its reason. The status counts these, and explaining
// prints one of them.
import type { Hold } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { quoted } from "../../core/values/shown.ts";
import type { Decided } from "./decide.ts";
import type { Resolved } from "./resolver.ts";

export type OutcomeKind = "fitted" | "held" | "unknown" | "none" | "excluded";

export type NodeOutcome = { readonly is: OutcomeKind; readonly reason: Reason; readonly because: string };

/** Reasons that pass by themselves while we work; every other one waits for somebody. */
const passing: readonly Reason[] = [
  ...(["Progressing", "HandOver", "BudgetSpent", "Settling", "WaitingForWorkload", "WaitingForImage"] as const),
  "ApiTrouble",
];

/** Whether a reason passes without anybody's help. */
export function isPassing(reason: Reason): boolean {
  return passing.includes(reason);
}

/** What fitting says of nodes, by name: what they wait for, or what is done to them now. */
export function waitsOf({ fitting, fleet, cells }: Decided): ReadonlyMap<string, Hold> {
  const { held, starting, refused, binds, unbinds, deletes } = fitting;
  const waits = new Map<string, Hold>();
  for (const { facts, berth } of fleet.restless) {
    const copy = berth.pods.map(({ key }) => cells.get(key)?.seen).find((seen) => seen?.original !== undefined);
    const because = `DaemonSet ${quoted(copy?.workload?.name)} is a copy of ${quoted(copy?.original)} and runs pods beside it; delete it, or take our owner reference from it`;
    if (copy !== undefined) waits.set(facts.name, { node: facts.name, reason: "SurplusWorkload", because });
  }
  for (const { node, why } of [...binds, ...unbinds, ...deletes]) {
    waits.set(node, { node, reason: "Progressing", because: why });
  }
  for (const hold of [...refused, ...starting, ...held]) waits.set(hold.node, hold);
  return waits;
}

/** The outcome of one node; `wait` is what it waits for, if anything. */
export function outcomeOfNode({ outcome }: Resolved, wait: Hold | undefined): NodeOutcome {
  const { gets, isExcluded, reason, because } = outcome;
  if (isExcluded) return { is: "excluded", reason, because };
  if (reason === "FactUnknown" || reason === "ImageInvalid") return { is: "unknown", reason, because };
  if (gets.kind === "nothing") return { is: "none", reason, because };
  if (wait !== undefined) return { is: "held", reason: wait.reason, because: wait.because };
  const isHeld = gets.kind === "same" || reason === "NodeNotReady";
  return { is: isHeld ? "held" : "fitted", reason, because };
}
