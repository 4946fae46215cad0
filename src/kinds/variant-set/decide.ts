// The decision about one set: DaemonSets, labels, pods to delete, pruning and the status, as one plan. The order per node is that of the
// design: the DaemonSet exists, its image is there, the label, the pod; per node, and never all or nothing.

import { orderPlan, type Plan } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { type Step, stepId } from "../../core/decision/step.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { labelStep } from "../../core/node/node-label.ts";
import { type DaemonPod, podRef } from "../../core/pod/daemon-pod.ts";
import { type Fitting, fitNodes } from "../../core/rollout/fitting.ts";
import { prune } from "../../core/rollout/prune.ts";
import { quoted } from "../../core/values/shown.ts";
import { type CellDecision, decideCells } from "./decide-cells.ts";
import type { Observed } from "./observe.ts";
import { bindingLabels, nodeLabelKeys } from "./set-labels.ts";
import { refOf, statusStep } from "./status.ts";
import { type Fleet, type SeenNode, surveyFleet } from "./survey.ts";

/** How soon a name that somebody else has is asked for again. */
export const CLASH_LOOK_MS = 5_000;

/** Everything that was decided at one instant: the plan, and what the status and explanations are made of. */
export type Decided = {
  readonly observed: Observed;
  readonly cells: ReadonlyMap<string, CellDecision>;
  readonly fleet: Fleet;
  readonly fitting: Fitting<DaemonPod>;
  readonly nowMs: number;
};

/** Decides what every cell and node of a set gets now. */
export function decideSet(observed: Observed, nowMs: number): Decided {
  const cells = decideCells(observed);
  const behind = new Set([...cells].flatMap(([key, { workload }]) => (workload.behind === undefined ? [] : [key])));
  const fleet = surveyFleet(observed, behind, nowMs);
  const workloads = new Map([...cells].map(([key, { workload }]) => [key, workload]));
  const { updateStrategy: strategy } = observed.known.set;
  const fitting = fitNodes(
    fleet.restless.map(({ berth }) => berth),
    { workloads, nodeCount: fleet.nodeCount, strategy },
    nowMs,
  );
  return { observed, cells, fleet, fitting, nowMs };
}

/** The plan of a decision. */
export function planSet(decided: Decided): Plan {
  const { fitting, observed } = decided;
  const labels = labelSteps(decided);
  const bringing = bringSteps(decided, labels);
  const pruning = pruneSteps(decided);
  const acts = [...bringing, ...labels, ...deleteSteps(decided), ...pruning.steps];
  const steps = [...acts, ...eventSteps(decided, pruning.steps), ...statusStep(decided)];
  const looks = [fitting.lookAgainAtMs, pruning.lookAgainAtMs, clashLook(decided)].filter((at) => at !== undefined);
  const lookAgain = looks.length === 0 ? {} : { lookAgainAtMs: Math.min(...looks) };
  const awaited = acts.length > 0 ? {} : awaitedNodes(fitting);
  // Nothing may be created in a namespace that ends; what is there goes with it.
  if (observed.snapshot.isTerminating(observed.stored.namespace)) return { steps: [], held: [] };
  return orderPlan({ steps, held: fitting.held, ...lookAgain, ...awaited });
}

/** A node that is held may be let go by what a pod does; one that starts is only counted otherwise when its pod is ready. */
function awaitedNodes({ held, starting }: Decided["fitting"]): Pick<Plan, "awaitedNodes"> {
  return held.length > 0 || starting.length === 0 ? {} : { awaitedNodes: starting.length };
}

/** Nobody tells us when an object that is not ours gives up a name: a set that was deleted and made anew waits so for its own. */
function clashLook({ cells, nowMs }: Decided): number | undefined {
  return [...cells.values()].some(({ seen }) => seen.clash !== undefined) ? nowMs + CLASH_LOOK_MS : undefined;
}

/** Adopting waits for the labels of the nodes that run its pods, or they would lose them. */
function bringSteps({ cells, fitting }: Decided, labels: readonly Step[]): readonly Step[] {
  const labelIds = new Set(labels.map(stepId));
  return [...cells.values()].flatMap(({ bringing, workload, seen }) => {
    if (bringing === undefined) return [];
    if (!workload.isOpen) return [bringing.step];
    const bound = fitting.binds.filter(({ key }) => key === seen.key).map(({ node }) => nodeStepId(node));
    const after = bound.filter((id) => labelIds.has(id));
    return [after.length === 0 ? bringing.step : { ...bringing.step, after }];
  });
}

function labelSteps({ cells, fitting, fleet, observed }: Decided): readonly Step[] {
  const { set } = observed.known;
  const byName = new Map(fleet.restless.map((seen) => [seen.facts.name, seen]));
  const keys = nodeLabelKeys(set);
  const step = (node: NodeFacts, key: string | undefined, why: string, after: readonly string[]) =>
    labelStep({ node, labels: bindingLabels(set, key), keys, why, after, mustClear: true });
  const binds = fitting.binds.map(({ node, key, why }) => {
    const seen = byName.get(node);
    return seen && step(seen.facts, key, why, creationOf(key, cells));
  });
  const unbinds = fitting.unbinds.map(({ node, why }) => {
    const seen = byName.get(node);
    return seen && step(seen.facts, undefined, why, creationOf(wantedKey(seen), cells));
  });
  const decided = new Set([...fitting.binds, ...fitting.unbinds].map(({ node }) => node));
  const relabels = fleet.restless.map(({ facts, relabel }) => {
    if (relabel === undefined || decided.has(facts.name)) return undefined;
    return step(facts, relabel, `${facts.name} has the label of a variant that is now called ${quoted(relabel)}`, []);
  });
  return [...binds, ...unbinds, ...relabels].filter((each) => each !== undefined);
}

/** What must have been made before a node may be bound to it, or leave another for it. */
function creationOf(key: string | undefined, cells: Decided["cells"]): readonly string[] {
  const decision = key === undefined ? undefined : cells.get(key);
  const isNew = decision?.bringing !== undefined && decision.seen.workload === undefined;
  return isNew && decision.bringing !== undefined ? [stepId(decision.bringing.step)] : [];
}

function wantedKey({ berth: { wish } }: SeenNode): string | undefined {
  return wish.kind === "workload" ? wish.key : undefined;
}

function deleteSteps({ fitting }: Decided): readonly Step[] {
  return fitting.deletes.map(({ pod, why }) => {
    return { do: "delete", target: podRef(pod), uid: pod.uid, propagation: "Background", why };
  });
}

/** A DaemonSet that is changed in this plan is looked at again when that is seen. */
function pruneSteps({ cells, fleet, observed, nowMs }: Decided): Pick<Plan, "steps" | "lookAgainAtMs"> {
  const { snapshot, known } = observed;
  const answers = [...cells.values()].flatMap(({ seen, bringing }) => {
    const { workload, cell, key } = seen;
    if (workload === undefined || bringing !== undefined) return [];
    const boundNodes = fleet.counts.get(key)?.bound ?? 0;
    const use = { isWanted: cell !== undefined, boundNodes, pods: snapshot.podsOf(workload.uid).length };
    return [prune(workload, use, known.set.pruneAfterMs, nowMs)];
  });
  const steps = answers.flatMap(({ step }) => (step === undefined ? [] : [step]));
  const looks = answers.flatMap(({ lookAgainAtMs }) => (lookAgainAtMs === undefined ? [] : [lookAgainAtMs]));
  return looks.length === 0 ? { steps } : { steps, lookAgainAtMs: Math.min(...looks) };
}

/** One event per kind of change, told when all of it is done. */
function eventSteps({ cells, observed }: Decided, pruning: readonly Step[]): readonly Step[] {
  const changes: { readonly reason: Reason; readonly step: Step; readonly name: string }[] = [];
  for (const { bringing, seen } of cells.values()) {
    if (bringing !== undefined) changes.push({ ...bringing, name: seen.cell?.name ?? "" });
  }
  for (const step of pruning) {
    if (step.do === "delete") changes.push({ reason: "WorkloadPruned", step, name: step.target.name });
  }
  return [...Map.groupBy(changes, ({ reason }) => reason)].map(([reason, group]) => ({
    ...{ do: "event", about: refOf(observed.stored), severity: "Normal", reason },
    message: `DaemonSet ${group.map(({ name }) => name).join(", ")}`,
    why: "DaemonSets changed",
    after: group.map(({ step }) => stepId(step)),
  }));
}

function nodeStepId(name: string): string {
  return stepId({ do: "apply", object: { apiVersion: "v1", kind: "Node", metadata: { name } }, why: "" });
}
