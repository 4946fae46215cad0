// What one node gets, or why it gets nothing: the answer of `resolve`, with every rule that was considered on the way.
import type { Reason } from "./reasons.ts";
import type { Verdict } from "./verdict.ts";

/** Verdicts kept per node; a longer trail says how many more there were. */
export const TRAIL_MAX = 200;

export type Resolution<Variant> =
  | {
      readonly outcome: "fitted";
      readonly variant: Variant;
      readonly reason: Reason;
      readonly trail: readonly Verdict[];
    }
  | {
      readonly outcome: "unfit";
      readonly reason: Reason;
      readonly because: string;
      readonly trail: readonly Verdict[];
    };

/** A node that gets a variant. */
export function fitted<Variant>(
  variant: Variant,
  trail: readonly Verdict[],
  reason: "Fitted" | "DefaultUsed" = "Fitted",
): Resolution<Variant> {
  return { outcome: "fitted", variant, reason, trail: boundTrail(trail) };
}

/** A node that gets nothing, and the clause that says why. */
export function unfit(reason: Reason, because: string, trail: readonly Verdict[]): Resolution<never> {
  return { outcome: "unfit", reason, because, trail: boundTrail(trail) };
}

/** Cuts a long trail at its end, but never the verdict that won: a fitted node must be able to name it. */
function boundTrail(trail: readonly Verdict[]): readonly Verdict[] {
  if (trail.length <= TRAIL_MAX) return trail;
  const room = TRAIL_MAX - 2;
  const winner = trail.findIndex((verdict) => verdict.matched);
  const kept =
    winner < room ? trail.slice(0, TRAIL_MAX - 1) : [...trail.slice(0, room), ...trail.slice(winner, winner + 1)];
  const left = trail.length - kept.length;
  return [...kept, { rule: "…", matched: false, because: `${left} more rules were considered` }];
}

/** The first verdict that matched, for the line that says which rule won. */
export function winningVerdict(resolution: Resolution<unknown>): Verdict | undefined {
  return resolution.trail.find((verdict) => verdict.matched);
}
