// What follows from a pass: rest, look again at an instant, try again with growing pauses, or wait for a person.
import type { Plan } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { stepId } from "../../core/decision/step.ts";
import type { StepResult, StepResults } from "../perform/step-result.ts";
import { lullMs } from "./lulls.ts";

export type Outcome =
  /** Everything was done; if an instant is named, the answer may differ from then on. If a lull is, children call for nothing before its end. */
  | { readonly is: "settled"; readonly lookAgainAtMs: number | undefined; readonly lullMs: number | undefined }
  /** There was more to do than fits one pass. */
  | { readonly is: "unfinished" }
  /** Something failed that may succeed next time. */
  | { readonly is: "retry"; readonly because: string; readonly stall: Stall | undefined }
  /** The cluster refuses something until somebody changes something; we only ask again now and then. */
  | { readonly is: "stalled"; readonly stall: Stall; readonly lookAgainAtMs: number | undefined };

/** What a person has to know and to mend. */
export type Stall = { readonly reason: Reason; readonly message: string };

/** When several things are refused, the first of these is the reason that people read; others come after them. */
const gravest: readonly Reason[] = ["Forbidden", "InvalidSpec", "NameConflict", "LabelContested"];

/** Sums up the results of a plan's steps. */
export function outcomeOf(plan: Plan, results: StepResults): Outcome {
  const all = plan.steps.map((step) => ({ id: stepId(step), result: resultIn(results, stepId(step)) }));
  const stall = stallIn(all);
  const failed = all.filter(({ result }) => result.did === "failed");
  const [first] = failed;
  if (first !== undefined) return { is: "retry", because: withCount(first, failed.length), stall };
  if (stall !== undefined) return { is: "stalled", stall, lookAgainAtMs: plan.lookAgainAtMs };
  const unsent = all.find(({ result }) => result.did === "unsent");
  if (unsent !== undefined) return { is: "retry", because: withCount(unsent, 1), stall };
  if (all.some(({ result }) => result.did === "left")) return { is: "unfinished" };
  return { is: "settled", lookAgainAtMs: plan.lookAgainAtMs, lullMs: lullMs(plan.awaitedNodes ?? 0) };
}

type Told = { readonly id: string; readonly result: StepResult };

function resultIn(results: StepResults, id: string): StepResult {
  const result = results.get(id);
  if (result === undefined) throw new Error(`step "${id}" has no result`);
  return result;
}

function stallIn(all: readonly Told[]): Stall | undefined {
  const refused = all.flatMap(({ id, result }) => (result.did === "refused" ? [{ id, result }] : []));
  const rank = (reason: Reason) => (gravest.includes(reason) ? gravest.indexOf(reason) : gravest.length);
  const [worst] = refused.toSorted((a, b) => rank(a.result.reason) - rank(b.result.reason));
  if (worst === undefined) return undefined;
  return { reason: worst.result.reason, message: withCount(worst, refused.length) };
}

function withCount({ id, result }: Told, count: number): string {
  const because = "because" in result ? result.because : result.did;
  const others = count > 1 ? ` (and ${count - 1} more like it)` : "";
  return `${id}: ${because}${others}`;
}
