// Pods that were asked to go while they served nobody, which costs no budget, and that people use again by the time their hook lets go. There is no
// way back for them; but they go within the budget now, as any other pod does.
//
// Guarantees: on a node that is Ready, a marked pod that is ready is taken from people only while fewer nodes than the budget are without service,
// whoever made them so; in a surge only when another pod serves. Where nothing can be rendered it stays, since nothing could come after it.
// Caveats: with OnDelete, or where `strictAvailability` is false and pods go one after the other, marked pods go at once.

import type { Hold } from "../../../core/decision/plan.ts";
import { availableFromMs, type DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { counted } from "../../../core/values/counted.ts";
import type { Deletion } from "../pods/deletion.ts";
import { removePod } from "../pods/lifecycle.ts";
import type { ManageRule } from "../pods/manage.ts";
import { isAvailable, livingPods, type NodeView } from "../pods/node-pods.ts";
import { reliefSeconds } from "../pods/several-pods.ts";
import { isStillInScope } from "./lost-nodes.ts";
import type { Surveyed } from "./survey.ts";
import { unavailableMax } from "./update.ts";

export type MarkedPace = {
  readonly deletions: readonly Deletion[];
  readonly held: readonly Hold[];
  /** When a pod that is kept back may be relieved by the mere passing of time. */
  readonly lookAgainAtMs: number | undefined;
};

/** Keeps back those deletions of marked pods that would take service from people beyond the budget. */
export function paceMarked(deletions: readonly Deletion[], surveyed: Surveyed, rule: ManageRule): MarkedPace {
  const { set, unsettled, others, desired } = surveyed;
  const { updateStrategy: strategy } = set;
  const isFree = strategy.kind === "OnDelete" || (!rule.isSurging && !strategy.isStrict);
  if (isFree || !deletions.some(isLastUsed)) return { deletions, held: [], lookAgainAtMs: undefined };
  const views = new Map(unsettled.map((view) => [view.node.name, view]));
  const isServing = (pod: DaemonPod) => isAvailable(pod, set.minReadySeconds, rule.nowMs);
  const counting = [...unsettled, ...others.filter(isStillInScope)].filter(isCounted);
  const away = counting.filter((view) => !livingPods(view).some(isServing)).length;
  // In a surge another pod comes first.
  const limit = rule.isSurging ? 0 : unavailableMax(strategy, desired.length);
  const going: Deletion[] = [];
  const held: Hold[] = [];
  const looks: number[] = [];
  let taken = 0;
  for (const deletion of deletions) {
    const { pod } = deletion;
    const view = isLastUsed(deletion) && isTaken(deletion, surveyed, rule) ? views.get(pod.node) : undefined;
    if (view === undefined || view.node.ready !== true) {
      going.push(deletion);
      continue;
    }
    // Its patches hold the node.
    if (!view.placement.rendering.ok) continue;
    // One that has not been ready for long enough counts as away already.
    const cost = isServing(pod) ? 1 : 0;
    if (away + taken + cost > limit) {
      held.push(holdOf(pod, limit, away + taken));
      looks.push(...reliefTimes(view, rule));
    } else {
      going.push(deletion);
      taken += cost;
    }
  }
  return { deletions: going, held, lookAgainAtMs: looks.length === 0 ? undefined : Math.min(...looks) };
}

/** A marked pod that is ready, where no other one serves. */
function isLastUsed({ cause, isFenced, kept }: Deletion): boolean {
  return cause === "prepared" && !isFenced && kept === undefined;
}

/** Whether anything is done about the pod now: one that its hook still holds may only have to wait. */
function isTaken({ pod, why }: Deletion, { set }: Surveyed, { nowMs }: ManageRule): boolean {
  return removePod(pod, { why }, { hook: set.preDelete, nowMs }).steps.length > 0;
}

/** As in the budget of an update: a node that was lost before its turn does not block, nor does one for which nothing can be rendered. */
function isCounted({ node, current, placement }: NodeView): boolean {
  return (node.ready === true || current.length > 0) && placement.rendering.ok;
}

function reliefTimes(view: NodeView, rule: ManageRule): readonly number[] {
  const times = livingPods(view).flatMap((pod) => availableFromMs(pod, reliefSeconds(rule)) ?? []);
  return times.filter((atMs) => atMs > rule.nowMs);
}

function holdOf({ name, node }: DaemonPod, limit: number, away: number): Hold {
  const because = `${name} was asked to go and is in use`;
  if (limit === 0) return { node, reason: "HandOver", because: `${because}; it goes when its successor serves` };
  const state = `${counted(away, "node is", "nodes are")} unavailable or about to be, and ${limit} may be at once`;
  return { node, reason: "BudgetSpent", because: `${because}; ${state}` };
}
