// Pacing: which nodes a rollout may take next. One function for all kinds, with one budget per object however many workloads
// it has. Rendering and diffing have said which nodes are outdated; what is done to a node that may move is the kind's business.
//
// Guarantees: nodes that serve are taken only while fewer than the budget's limit are spending it, whoever made them unavailable; nodes that
// are about to serve only while no more than that are. A node whose pod of the newest revision is not available spends the budget, also
// when the node itself is NotReady: a revision that crashes its nodes stops after one budget. Once a whole budget of nodes is lost that
// way, no other node is taken, not even one that serves nothing.
// Assumes: a node with a write of ours that the cache has not shown yet is given as moving and not serving.
//
// This folder holds two engines. Pacing, in this file, chooses the next nodes for all kinds. The
// workload family moves nodes between the native DaemonSets of one object:
//   workload.ts, workload-revision.ts  one DaemonSet, and which of its pods are current
//   bring-workload.ts                  creates it, changes it or adopts it
//   berth.ts                           the state of one node, before any budget
//   fitting.ts                         binds nodes, hands them over, updates them
//   prune.ts                           deletes a DaemonSet that no node needs
//   node-roll.ts, fleet-roll.ts        the fleet counted by class, kept between decisions
//   list-changes.ts, place-of.ts       what changed between two sorted lists
//   update-counts.ts                   maxUnavailable and maxSurge in nodes

import type { Hold } from "../decision/plan.ts";
import { counted } from "../values/counted.ts";

/** One node of the object's scope, as it stands now. */
export type Slot = {
  readonly node: string;
  /** It runs something else than it should. */
  readonly isOutdated: boolean;
  /** What it should keep doing, it does: its pod is ready, and has been for long enough. */
  readonly isServing: boolean;
  /** Its pod is ready and has not been for long enough: it counts as one that does not serve, and whoever takes it away takes it from people. */
  readonly isFresh?: boolean;
  /** It was taken, and what it got does not serve yet. */
  readonly isMoving: boolean;
  readonly isNodeReady: boolean;
  /** Its pod is of the newest revision and is not available: the revision itself may have caused that. */
  readonly isUpdatedUnavailable?: boolean;
  /** What was last tried there failed. */
  readonly isResisting?: boolean;
};

export type Budget = {
  /** What the limit counts: nodes that do not serve, or nodes that run a second pod beside the one that serves. */
  readonly counts: "unavailable" | "surging";
  readonly limit: number;
  /** So many nodes may be on the move at once, also those that cost nothing. */
  readonly movingMax: number;
  readonly isPaused: boolean;
};

export type Pace = {
  /** The nodes to take now, in the order of taking. */
  readonly moves: readonly string[];
  /** The outdated nodes that stay as they are for now, and why. */
  readonly held: readonly Hold[];
};

/** Chooses the nodes to take; `slots` come in the order in which the kind wants to take them. */
export function pace(slots: readonly Slot[], budget: Budget): Pace {
  const moves: string[] = [];
  const held: Hold[] = [];
  const spent = slots.reduce((count, slot) => count + (isSpending(slot, budget) ? 1 : 0), 0);
  let left = budget.limit - spent;
  const texts = createHoldTexts(budget, spent);
  const lost = slots.filter(isLostWithNewest).length;
  const areTooManyLost = lost > 0 && lost >= budget.limit;
  let room = budget.movingMax - slots.reduce((count, slot) => count + (slot.isMoving ? 1 : 0), 0);
  for (const slot of candidates(slots)) {
    const cost = slot.isServing ? 1 : 0;
    // A fresh one costs nothing more, unless more than may be are away already.
    const isTooDear = areTooManyLost || (slot.isServing ? left < 1 : slot.isFresh === true && left < 0);
    const hold = holdOf(slot, budget, { texts, isTooDear, isFull: room <= 0, taken: budget.limit - spent - left });
    if (hold !== undefined) {
      held.push(hold);
    } else {
      moves.push(slot.node);
      left -= cost;
      room -= 1;
    }
  }
  return { moves, held };
}

/**
 * A node that does not serve is first: taking it cannot make things worse, and may mend it; one that is about to serve comes after those.
 * One that resists is last: it would be chosen at every pass, and nobody else ever.
 */
function candidates(slots: readonly Slot[]): readonly Slot[] {
  const outdated = slots.filter((slot) => slot.isOutdated && !slot.isMoving);
  const rank = ({ isResisting = false, isServing, isFresh = false }: Slot) =>
    isResisting ? 3 : isServing ? 2 : Number(isFresh);
  return [0, 1, 2, 3].flatMap((place) => outdated.filter((slot) => rank(slot) === place));
}

function isSpending(slot: Slot, budget: Budget): boolean {
  if (slot.isUpdatedUnavailable === true) return true;
  // A node that was lost before its turn cannot recover until its kubelet returns, so it must not block other nodes.
  if (!slot.isNodeReady) return false;
  return budget.counts === "surging" ? slot.isMoving : !slot.isServing;
}

function isLostWithNewest({ isNodeReady, isUpdatedUnavailable }: Slot): boolean {
  return !isNodeReady && isUpdatedUnavailable === true;
}

type HoldTexts = { readonly dear: (taken: number) => string; readonly full: string };

/** Each is written once: of a large fleet most nodes wait, and all of them for the same. */
function createHoldTexts({ counts, limit, movingMax }: Budget, spent: number): HoldTexts {
  let dear: string | undefined;
  return {
    dear(taken) {
      const state = taken === 0 ? counts : `${counts} or about to be`;
      dear ??= `${counted(spent + taken, "node is", "nodes are")} ${state}, and ${limit} may be at once`;
      return dear;
    },
    full: `${counted(movingMax, "node is", "nodes are")} on the move, as many as may be`,
  };
}

type Room = {
  readonly texts: HoldTexts;
  readonly isTooDear: boolean;
  readonly isFull: boolean;
  /** Of the budget, by those that are chosen now. */
  readonly taken: number;
};

function holdOf({ node, isNodeReady }: Slot, budget: Budget, room: Room): Hold | undefined {
  const { texts, isTooDear, isFull, taken } = room;
  if (budget.isPaused) return { node, reason: "PausedByUser", because: "the rollout is paused" };
  // A whole zone may be dark for a while; its nodes are taken within the budget when they are back, not all at once.
  if (!isNodeReady) return { node, reason: "NodeNotReady", because: "the node is not Ready" };
  if (isTooDear) return { node, reason: "BudgetSpent", because: texts.dear(taken) };
  return isFull ? { node, reason: "BudgetSpent", because: texts.full } : undefined;
}
