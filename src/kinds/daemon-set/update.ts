// Which nodes get the newest revision now. The strategy says which may, in which order, and how many at once; pacing chooses.
import type { DaemonPod } from "../../core/daemon-pod.ts";
import { scaled } from "../../core/int-or-percent.ts";
import { type Budget, pace, type Slot } from "../../core/pace.ts";
import type { Hold } from "../../core/plan.ts";
import { isAvailable, type NodeView } from "./node-pods.ts";
import { SETTLING_MS } from "./other-wishes.ts";
import { restAt } from "./rest.ts";
import type { AdvancedDaemonSet, RollingUpdate } from "./spec.ts";

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
  /** As many may be on the move at once. */
  readonly burst: number;
  /** A hook before its deletion holds the pod. */
  readonly isPrepared: (pod: DaemonPod) => boolean;
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
    const waiting = outdated.filter(({ old: [pod] }) => pod !== undefined && !rule.isPrepared(pod));
    return { moves: [], held: waiting.map(waitsForDeletion) };
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

/** The last names go first, as far as selector, settling and partition let them. */
function sortCandidates(outdated: readonly NodeView[], strategy: RollingUpdate, rule: UpdateRule): Sorted {
  const { candidates, budget } = strategy;
  const held: Hold[] = [];
  const ready: NodeView[] = [];
  let settledAtMs: number | undefined;
  for (const view of outdated.toReversed()) {
    const node = view.node.name;
    const lastsUntilMs = view.oldStanding === "drifted" ? rule.factsSinceMs(node) + SETTLING_MS : rule.nowMs;
    if (candidates !== undefined && !view.placement.isCandidate) {
      held.push({ node, reason: "NotSelected", because: "spec.updateStrategy.rollingUpdate.selector leaves it out" });
    } else if (view.old.length > 1) {
      held.push({ node, reason: "HandOver", because: "a pod that was to come before is still there" });
    } else if (lastsUntilMs > rule.nowMs) {
      held.push({ node, reason: "Settling", because: "its labels changed a moment ago" });
      settledAtMs = Math.min(settledAtMs ?? lastsUntilMs, lastsUntilMs);
    } else ready.push(view);
  }
  const isPrepared = ({ old: [pod] }: NodeView) => pod !== undefined && rule.isPrepared(pod);
  const updated = rule.desired - outdated.filter((view) => !isPrepared(view)).length;
  const partition = partitionOf(rule.set, rule.desired);
  // Those that have been asked to go are on their way, whatever the partition says now.
  const room = Math.max(0, rule.desired - partition - updated);
  const open = ready.filter((view) => !isPrepared(view));
  const fitted = updated + Math.min(room, open.length);
  const because = `${fitted} of ${rule.desired} nodes have the newest revision or need no change, and the partition lets ${rule.desired - partition} have it`;
  const kept = open.slice(room).map(({ node }): Hold => ({ node: node.name, reason: "RolloutPartitioned", because }));
  // One that was asked to go in a surge, and whose successor is gone, serves until there is another.
  const alone = budget.kind === "surge" ? ready.filter(isPrepared) : [];
  return { takeable: [...alone, ...open.slice(0, room)], held: [...held, ...kept], settledAtMs };
}

/** All that may be taken or that spends the budget. */
function slotsOf(takeable: readonly NodeView[], strategy: RollingUpdate, rule: UpdateRule): readonly Slot[] {
  const isTakeable = new Set(takeable);
  const slots: Slot[] = [];
  for (const view of rule.unsettled) {
    const isTaken = isTakeable.has(view);
    // What cannot be rendered must not hold up the others, so it takes no part in the budget. Nor does what serves and stays.
    const isOut = !isTaken && (restAt(view, rule.nowMs) === "outdated" || (!strategy.isStrict && isKept(view, rule)));
    if (view.placement.rendering.ok && !isOut) slots.push(slotOf(view, isTaken, strategy, rule));
  }
  return slots;
}

/** It stays as it is, whatever that is. In Kruise's way of counting such nodes have no part in an update. */
function isKept(view: NodeView, { isPrepared }: UpdateRule): boolean {
  const [pod, ...more] = view.old;
  return isOutdated(view) && pod !== undefined && more.length === 0 && !isPrepared(pod);
}

function slotOf(view: NodeView, isTakeable: boolean, { budget, isStrict }: RollingUpdate, rule: UpdateRule): Slot {
  const { node, current, old } = view;
  const { minReadySeconds } = rule.set;
  const [pod] = current;
  const [predecessor] = old;
  const isSurging = budget.kind === "surge";
  // In a surge one that was asked to go serves until its successor does.
  const isServing = (each: DaemonPod | undefined) =>
    each !== undefined && (isSurging || !rule.isPrepared(each)) && isAvailable(each, minReadySeconds, rule.nowMs);
  const isLeavingSoon = predecessor !== undefined && rule.isPrepared(predecessor);
  const serves = isServing(isSurging ? (predecessor ?? pod) : (pod ?? predecessor));
  const isAway = pod === undefined ? predecessor === undefined || isLeavingSoon : !isServing(pod);
  return {
    node: node.name,
    isOutdated: isTakeable,
    isServing: serves,
    // A kubelet that restarts makes its pods ready anew, and a raised minReadySeconds makes all of them too young: people use them.
    isFresh: isStrict && !isSurging && !serves && predecessor?.readySinceMs !== undefined,
    isMoving: isSurging ? current.length + old.length > 1 : isAway,
    isNodeReady: node.ready === true,
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
