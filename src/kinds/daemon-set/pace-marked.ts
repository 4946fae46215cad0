// Pods that were asked to go while they served nobody, which costs no budget, and that serve by the time their hook lets go. There is no way
// back for them; but people use them now, so they go within the budget, as any other pod does.
//
// Guarantees: a marked pod that serves leaves its node without service only while fewer nodes than the budget are, whoever made them so.
// Caveats: where `strictAvailability` is false, or with OnDelete, marked pods go at once.
import { counted } from "../../core/counted.ts";
import type { DaemonPod } from "../../core/daemon-pod.ts";
import type { Hold } from "../../core/plan.ts";
import { hookOn } from "./lifecycle.ts";
import type { Deletion } from "./manage.ts";
import { isAvailable, livingPods, type NodeView } from "./node-pods.ts";
import type { PreDeleteHook } from "./spec.ts";
import type { Surveyed } from "./survey.ts";
import { unavailableMax } from "./update.ts";

export type MarkedPace = { readonly deletions: readonly Deletion[]; readonly held: readonly Hold[] };

/** Keeps back those deletions of marked pods that would take service from people beyond the budget. */
export function paceMarked(deletions: readonly Deletion[], surveyed: Surveyed, nowMs: number): MarkedPace {
  const { updateStrategy: strategy } = surveyed.set;
  const isFree = strategy.kind === "OnDelete" || !strategy.isStrict;
  if (isFree || deletions.every(({ cause }) => cause !== "prepared")) return { deletions, held: [] };
  const views = new Map(surveyed.unsettled.map((view) => [view.node.name, view]));
  const isServing = (pod: DaemonPod) => isAvailable(pod, surveyed.set.minReadySeconds, nowMs);
  const away = surveyed.unsettled.filter((view) => isCounted(view) && !livingPods(view).some(isServing)).length;
  // In a surge another pod comes first.
  const limit = strategy.budget.kind === "surge" ? 0 : unavailableMax(strategy, surveyed.desired.length);
  const held: Hold[] = [];
  let taken = 0;
  const going = deletions.filter((deletion) => {
    const view = views.get(deletion.pod.node);
    if (view === undefined || !takesService(deletion, view, surveyed.set.preDelete)) return true;
    if (away + taken < limit) {
      taken += 1;
      return true;
    }
    held.push(holdOf(deletion.pod, limit, away + taken));
    return false;
  });
  return { deletions: going, held };
}

/** Whether what is done about the pod takes the last service of its node from people. */
function takesService(
  { pod, cause, isFenced, kept }: Deletion,
  view: NodeView,
  hook: PreDeleteHook | undefined,
): boolean {
  const isLast = cause === "prepared" && !isFenced && kept === undefined;
  const isLeftAlone = hookOn(pod, hook) !== undefined && hook?.isMarkedNotReady === false;
  return isLast && !isLeftAlone && isCounted(view);
}

/** As in the budget of an update: nobody can mend what runs on a node that is not ready, and what cannot be rendered holds up nobody. */
function isCounted({ node, placement }: NodeView): boolean {
  return node.ready === true && placement.rendering.ok;
}

function holdOf({ name, node }: DaemonPod, limit: number, away: number): Hold {
  const because = `${name} was asked to go while it served nobody, and serves now`;
  if (limit === 0) return { node, reason: "HandOver", because: `${because}; it goes when its successor serves` };
  const state = `${counted(away, "node is", "nodes are")} unavailable or about to be, and ${limit} may be at once`;
  return { node, reason: "BudgetSpent", because: `${because}; ${state}` };
}
