// A plan is the whole decision about one object as a value: the steps, the nodes held back, and when to look again.
//
// This folder holds the words of every decision; the kinds fill them in. Input, then output:
//   snapshot.ts: the cluster as the caches and our own writes show it
//   object-identity.ts, task.ts, config-text.ts: its objects, Jobs and texts
//   fact.ts, problem.ts: what a node reports, and what is wrong with a spec
//   verdict.ts, resolution.ts: what each rule said, and what a node gets
//   step.ts: one write, with its why
//   reasons.ts: every reason, one word each
//   conditions.ts: status conditions by the API conventions
import type { Reason } from "./reasons.ts";
import { type Step, stepId } from "./step.ts";

export type Plan = {
  readonly steps: readonly Step[];
  /** Nodes that should change and may not yet. */
  readonly held: readonly Hold[];
  /** The instant, in wall ms, at which the answer may differ although nothing was written; absent if never. */
  readonly lookAgainAtMs?: number;
  /** Nodes that only wait for their pods, where nothing else is left to do: what pods do then changes counts and calls for nothing. Absent if none. */
  readonly awaitedNodes?: number;
};

export type Hold = { readonly node: string; readonly reason: Reason; readonly because: string };

export const emptyPlan: Plan = { steps: [], held: [] };

/** Joins the plans of parts of one object: all steps, all holds, the earliest look. */
export function joinPlans(plans: readonly Plan[]): Plan {
  const lookAgainAtMs = plans.reduce((at, plan) => Math.min(at, plan.lookAgainAtMs ?? at), Number.POSITIVE_INFINITY);
  const joined = { steps: plans.flatMap((plan) => plan.steps), held: plans.flatMap((plan) => plan.held) };
  return orderPlan(lookAgainAtMs === Number.POSITIVE_INFINITY ? joined : { ...joined, lookAgainAtMs });
}

/**
 * Puts a plan into its one order: steps that others wait for first, patient ones last, and otherwise by identity; holds by node.
 * Throws on a step twice, on a wait for a step that is not there, and on a circle: those are our mistakes.
 */
export function orderPlan(plan: Plan): Plan {
  const byId = new Map(plan.steps.map((step) => [stepId(step), step]));
  if (byId.size !== plan.steps.length) throw new Error(`plan has a step twice: ${firstDuplicate(plan.steps)}`);
  const ordered: Step[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (id: string, neededBy: string): void => {
    const step = byId.get(id);
    if (step === undefined) throw new Error(`step "${neededBy}" waits for "${id}", which is not in the plan`);
    if (state.get(id) === "done") return;
    if (state.get(id) === "open") throw new Error(`step "${id}" waits for itself`);
    state.set(id, "open");
    for (const before of (step.after ?? []).toSorted()) visit(before, id);
    state.set(id, "done");
    ordered.push(step);
  };
  const ids = [...byId.keys()].sort();
  const isPatient = (id: string) => byId.get(id)?.isPatient === true;
  for (const id of [...ids.filter((id) => !isPatient(id)), ...ids.filter(isPatient)]) visit(id, id);
  return { ...plan, steps: ordered, held: plan.held.toSorted((a, b) => compareText(a.node, b.node)) };
}

/** Whether performing the plan would write nothing. */
export function isQuiet(plan: Plan): boolean {
  return plan.steps.length === 0;
}

function firstDuplicate(steps: readonly Step[]): string {
  const ids = steps.map(stepId).sort();
  return ids.find((id, index) => id === ids[index + 1]) ?? "";
}

/** Code-unit order: the same everywhere, whatever the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
