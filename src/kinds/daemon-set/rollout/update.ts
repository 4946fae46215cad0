// Which nodes get the newest revision now. The strategy says which may, in which order, and how many at once; pacing chooses.
//
// This folder chooses nodes for the newest revision. Beside this file:
//   survey.ts, rest.ts, node-views.ts  which nodes need a decision at all
//   pace-marked.ts                     pods marked for deletion that people use again

import type { Hold } from "../../../core/decision/plan.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { type Budget, pace, type Slot } from "../../../core/rollout/pace.ts";
import { scaled } from "../../../core/values/int-or-percent.ts";
import type { AdvancedDaemonSet, RollingUpdate } from "../api/spec.ts";
import { hookOn, isPreparingDelete } from "../pods/lifecycle.ts";
import { isAvailable, type NodeView } from "../pods/node-pods.ts";
import { SETTLING_MS } from "../pods/other-wishes.ts";
import { restAt } from "./rest.ts";

export type Update = {
  /** The nodes to take now, in the order of taking. */
  readonly moves: readonly NodeView[];
  readonly held: readonly Hold[];
  readonly lookAgainAtMs?: number;
};

export type UpdateRule = {
  readonly set: AdvancedDaemonSet;
  /** So many nodes should run a pod. */
  readonly desired: number;
  /** Those of them that are not at rest with the right pod, in the order of their names. */
  readonly unsettled: readonly NodeView[];
  /** Nodes that should not get a pod now and may have one: they are not updated, but a failed update there spends the budget. */
  readonly others: readonly NodeView[];
  /** As many may be on the move at once. */
  readonly burst: number;
  readonly factsSinceMs: (node: string) => number;
  /** Until when another replica may go on with the rollout that the newest revision has interrupted; undefined if none can. */
  readonly busyUntilMs: () => number | undefined;
  readonly nowMs: number;
};

/** Chooses the nodes to take. */
export function paceUpdate(rule: UpdateRule): Update {
  const { updateStrategy } = rule.set;
  const outdated = rule.unsettled.filter(isOutdated);
  if (outdated.length === 0) return { moves: [], held: [] };
  if (updateStrategy.kind === "OnDelete") {
    return { moves: [], held: outdated.filter((view) => !isOnItsWay(view)).map(waitsForDeletion) };
  }
  const busyMs = rule.busyUntilMs();
  if (busyMs !== undefined) return { moves: [], held: outdated.map(waitsForOthers), lookAgainAtMs: busyMs };
  const sorted = sortCandidates(outdated, updateStrategy, rule);
  const slots = slotsOf(sorted.takeable, updateStrategy, rule);
  const { moves, held } = pace(inOrder(slots), budgetOf(slots, updateStrategy, rule));
  return {
    moves: viewsNamed(moves, sorted.takeable),
    held: [...held, ...sorted.held],
    ...(sorted.settledAtMs === undefined ? {} : { lookAgainAtMs: sorted.settledAtMs }),
  };
}

/** The nodes that the partition leaves at an old revision. */
export function partitionOf({ updateStrategy }: AdvancedDaemonSet, desired: number): number {
  if (updateStrategy.kind === "OnDelete") return 0;
  return Math.min(desired, Math.max(0, scaled(updateStrategy.partition, desired, "down")));
}

/** How many nodes may be without service at once where pods go before others come. */
export function unavailableMax({ budget }: RollingUpdate, desired: number): number {
  return Math.max(1, scaled(budget.max, desired, "up"));
}

/** A node with nothing but a pod that it should not have. Where nothing can be rendered, nothing is outdated. */
export function isOutdated({ current, old, placement }: NodeView): boolean {
  return placement.rendering.ok && current.length === 0 && old.length > 0;
}

function viewsNamed(names: readonly string[], views: readonly NodeView[]): readonly NodeView[] {
  const wanted = new Set(names);
  const byName = new Map(views.filter(({ node }) => wanted.has(node.name)).map((view) => [view.node.name, view]));
  return names.flatMap((name) => byName.get(name) ?? []);
}

type Sorted = {
  readonly takeable: readonly NodeView[];
  readonly held: readonly Hold[];
  readonly settledAtMs: number | undefined;
};

/** The last names go first, as far as selector, settling and partition let them. Those that were asked to go are on their way, whatever those say now. */
function sortCandidates(outdated: readonly NodeView[], strategy: RollingUpdate, rule: UpdateRule): Sorted {
  const held: Hold[] = [];
  const open: NodeView[] = [];
  let settledAtMs: number | undefined;
  for (const view of outdated.toReversed()) {
    const node = view.node.name;
    const lastsUntilMs = view.oldStanding === "drifted" ? rule.factsSinceMs(node) + SETTLING_MS : rule.nowMs;
    if (isOnItsWay(view)) continue;
    if (strategy.candidates !== undefined && !view.placement.isCandidate) {
      held.push({ node, reason: "NotSelected", because: "spec.updateStrategy.rollingUpdate.selector leaves it out" });
    } else if (view.old.length > 1) {
      held.push({ node, reason: "HandOver", because: "a pod that was to come before is still there" });
    } else if (lastsUntilMs > rule.nowMs) {
      held.push({ node, reason: "Settling", because: "its labels changed a moment ago" });
      settledAtMs = Math.min(settledAtMs ?? lastsUntilMs, lastsUntilMs);
    } else open.push(view);
  }
  const updated = rule.desired - outdated.filter((view) => !isOnItsWay(view)).length;
  const partition = partitionOf(rule.set, rule.desired);
  const room = Math.max(0, rule.desired - partition - updated);
  const fitted = updated + Math.min(room, open.length);
  const because = `${fitted} of ${rule.desired} nodes have the newest revision or need no change, and the partition lets ${rule.desired - partition} have it`;
  const kept = open.slice(room).map(({ node }): Hold => ({ node: node.name, reason: "RolloutPartitioned", because }));
  const alone = outdated.filter((view) => isBereft(view, strategy, rule));
  return { takeable: [...alone, ...open.slice(0, room)], held: [...held, ...kept], settledAtMs };
}

/** The pod to keep of those that it should not have was asked to go. */
function isOnItsWay({ old: [pod] }: NodeView): boolean {
  return pod !== undefined && isPreparingDelete(pod);
}

/** In a surge: its only pod was asked to go and is used, or held by its hook, and the successor that it had is gone. It stays until there is another. */
function isBereft(view: NodeView, { budget }: RollingUpdate, { set }: UpdateRule): boolean {
  const [pod, ...others] = view.old;
  if (budget.kind !== "surge" || pod === undefined || others.length > 0 || !isPreparingDelete(pod)) return false;
  return pod.readySinceMs !== undefined || hookOn(pod, set.preDelete) !== undefined;
}

/** All that may be taken or that spends the budget. */
function slotsOf(takeable: readonly NodeView[], strategy: RollingUpdate, rule: UpdateRule): readonly Slot[] {
  const isTakeable = new Set(takeable);
  const slots: Slot[] = [];
  for (const view of rule.unsettled) {
    const isTaken = isTakeable.has(view);
    // What cannot be rendered must not hold up the others, so it takes no part in the budget. Nor does what serves and stays.
    const isOut = !isTaken && (restAt(view, rule.nowMs) === "outdated" || (!strategy.isStrict && isKept(view)));
    if (view.placement.rendering.ok && !isOut) slots.push(slotOf(view, isTaken, strategy, rule));
  }
  for (const view of rule.others) {
    if (hasFailedUpdate(view, rule)) slots.push(slotOf(view, false, strategy, rule));
  }
  return slots;
}

/** It has a pod of the newest revision that is not available, and keeps it: the node may be lost through that revision. */
function hasFailedUpdate({ current: [pod], placement, node }: NodeView, { set, nowMs }: UpdateRule): boolean {
  if (pod === undefined || node.isLeaving || !placement.shouldContinueRunning || !placement.rendering.ok) return false;
  return !isAvailable(pod, set.minReadySeconds, nowMs);
}

/** It stays as it is, whatever that is. In Kruise's way of counting such nodes have no part in an update. */
function isKept(view: NodeView): boolean {
  return isOutdated(view) && view.old.length === 1 && !isOnItsWay(view);
}

function slotOf(view: NodeView, isTakeable: boolean, { budget, isStrict }: RollingUpdate, rule: UpdateRule): Slot {
  const { node, current, old } = view;
  const { minReadySeconds } = rule.set;
  const [pod] = current;
  const [predecessor] = old;
  const isSurging = budget.kind === "surge";
  // In a surge one that was asked to go serves until its successor does.
  const isServing = (each: DaemonPod | undefined) =>
    each !== undefined && (isSurging || !isPreparingDelete(each)) && isAvailable(each, minReadySeconds, rule.nowMs);
  const serves = isServing(isSurging ? (predecessor ?? pod) : (pod ?? predecessor));
  const isAway = pod === undefined ? predecessor === undefined || isPreparingDelete(predecessor) : !isServing(pod);
  return {
    node: node.name,
    isOutdated: isTakeable,
    isServing: serves,
    // A kubelet that restarts makes its pods ready anew, and a raised minReadySeconds makes all of them too young: people use them.
    isFresh: isStrict && !isSurging && !serves && predecessor?.readySinceMs !== undefined,
    isMoving: isSurging ? current.length + old.length > 1 : isAway,
    isNodeReady: node.ready === true,
    isUpdatedUnavailable: pod !== undefined && !isServing(pod),
  };
}

/** Pacing takes nodes in the order in which they come. */
function inOrder(slots: readonly Slot[]): readonly Slot[] {
  return slots.toReversed();
}

function budgetOf(slots: readonly Slot[], strategy: RollingUpdate, { desired, burst }: UpdateRule): Budget {
  const { budget, isStrict, isPaused } = strategy;
  const max =
    budget.kind === "unavailable" ? unavailableMax(strategy, desired) : Math.max(0, scaled(budget.max, desired, "up"));
  // Kruise's way: what was unavailable before the update does not count.
  const ignored = isStrict || budget.kind === "surge" ? 0 : slots.filter(wasAway).length;
  const limit = max + ignored;
  return { counts: budget.kind === "surge" ? "surging" : "unavailable", limit, movingMax: burst, isPaused };
}

function wasAway({ isOutdated: isOld, isServing, isMoving, isNodeReady }: Slot): boolean {
  return isOld && !isServing && !isMoving && isNodeReady;
}

function waitsForOthers({ node }: NodeView): Hold {
  const because = "the set changed in the middle of a rollout, and another replica may not know yet";
  return { node: node.name, reason: "Settling", because };
}

function waitsForDeletion({ node }: NodeView): Hold {
  return { node: node.name, reason: "WaitingForDeletion", because: "the update strategy is OnDelete" };
}
