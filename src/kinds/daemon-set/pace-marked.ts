// Pods that were asked to go while they served nobody, which costs no budget, and that serve by the time their hook lets go. There is no way
// back for them; but people use them now, so they go within the budget, as any other pod does.
//
// Guarantees: a marked pod that serves leaves its node without service only while fewer nodes than the budget are, whoever made them so.
// Caveats: where `strictAvailability` is false, or with OnDelete, marked pods go at once. In a surge one that is what its node should run can have no
// successor beside it: such pods go one at a time.
import { counted } from "../../core/counted.ts";
import type { DaemonPod } from "../../core/daemon-pod.ts";
import type { Hold } from "../../core/plan.ts";
import { hookOn, isPreparingDelete } from "./lifecycle.ts";
import type { Deletion } from "./manage.ts";
import { isAvailable, livingPods, type NodeView } from "./node-pods.ts";
import type { RollingUpdate } from "./spec.ts";
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
  const held: Hold[] = [];
  let taken = 0;
  const going = deletions.filter((deletion) => {
    const view = views.get(deletion.pod.node);
    if (view === undefined || !takesService(deletion, view, { surveyed, isServing })) return true;
    const limit = limitFor(view, strategy, surveyed.desired.length);
    if (away + taken < limit) {
      taken += 1;
      return true;
    }
    held.push(holdOf(deletion.pod, limit, away + taken));
    return false;
  });
  return { deletions: going, held };
}

type ServiceRule = { readonly surveyed: Surveyed; readonly isServing: (pod: DaemonPod) => boolean };

/** Whether what is done about the pod takes it from people, and nobody else serves there who stays. */
function takesService({ pod, cause }: Deletion, view: NodeView, { surveyed, isServing }: ServiceRule): boolean {
  const { preDelete: hook } = surveyed.set;
  const isLeftAlone = hookOn(pod, hook) !== undefined && hook?.isMarkedNotReady === false;
  if (cause !== "prepared" || isLeftAlone || !isCounted(view) || !isServing(pod)) return false;
  return livingPods(view).every((each) => isPreparingDelete(each) || !isServing(each));
}

/** As in the budget of an update: nobody can mend what runs on a node that is not ready, and what cannot be rendered holds up nobody. */
function isCounted({ node, placement }: NodeView): boolean {
  return node.ready === true && placement.rendering.ok;
}

function limitFor({ current, old }: NodeView, strategy: RollingUpdate, desired: number): number {
  if (strategy.budget.kind === "unavailable") return unavailableMax(strategy, desired);
  const hasSuccessorSoon = current.length + old.length > 1 || current.length === 0;
  return hasSuccessorSoon ? 0 : 1;
}

function holdOf({ name, node }: DaemonPod, limit: number, away: number): Hold {
  const because = `${name} was asked to go while it served nobody, and serves now`;
  if (limit === 0) return { node, reason: "HandOver", because: `${because}; it goes when its successor serves` };
  const state = `${counted(away, "node is", "nodes are")} unavailable or about to be, and ${limit} may be at once`;
  return { node, reason: "BudgetSpent", because: `${because}; ${state}` };
}
