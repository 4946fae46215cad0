// What one node needs apart from updates: a pod if it has none, and an end of pods that it should not have.
//
// Guarantees: a node gets a pod only when no other pod of the set lives there or is still ending, except where a new pod may stand
// beside the old one. Nothing is made where nothing can be rendered.
import { availableFromMs, type DaemonPod } from "../../core/daemon-pod.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import type { Hold } from "../../core/plan.ts";
import type { Problem } from "../../core/problem.ts";
import { failurePause } from "./failure-pause.ts";
import { isAvailable, livingPods, type NodeView } from "./node-pods.ts";
import type { Observed } from "./observe.ts";
import { berthBusyUntilMs, type OtherWishesRule, pairBusyUntilMs } from "./other-wishes.ts";
import type { PodOrder } from "./pod-body.ts";
import { RENDERED_HASH } from "./pod-keys.ts";
import { type Berth, podName } from "./pod-name.ts";
import { problemText } from "./resolve.ts";

/** Why a pod goes. */
export type DeletionCause =
  /** The node should not run it. */
  | "ineligible"
  /** Another pod of the set is on the node. */
  | "surplus"
  /** It has ended, and makes room for another. */
  | "failed"
  | "succeeded"
  /** Its successor beside it is available. */
  | "relieved"
  /** Its node is gone, and it was never bound to it. */
  | "lost"
  /** It is replaced by a pod of another revision. */
  | "outdated"
  /** It was asked to go before, and a hook held it. */
  | "prepared";

export type Deletion = {
  readonly pod: DaemonPod;
  readonly cause: DeletionCause;
  readonly why: string;
  /** It goes because it serves nobody; if it has changed since it was seen, that may not be true any more. */
  readonly isFenced: boolean;
  /** What the node keeps in its place; absent where it goes whatever else is there. */
  readonly kept?: Kept;
};

/** A pod that stays on its node since another one goes, and the node as it was seen. */
export type Kept = { readonly pod: DaemonPod; readonly facts: NodeFacts };

export type Creation = Pick<PodOrder, "node" | "rendered" | "failures"> & {
  /** What its name follows from. */
  readonly berth: Berth;
  /** The node as it was seen, the pod that ended there, and the one that it stands beside. */
  readonly facts: NodeFacts;
  readonly last: DaemonPod | undefined;
  readonly beside: DaemonPod | undefined;
  readonly why: string;
  /**
   * The pod that has ended and goes once this one is there. In this order nobody ever sees the node without a pod: who did
   * would not know of the failures, and would make another one under another name.
   */
  readonly replaces: Deletion | undefined;
};

export type Need = {
  readonly creation?: Creation;
  readonly deletions: readonly Deletion[];
  readonly hold?: Hold;
  /** When the answer may be another one although nothing was written. */
  readonly lookAgainAtMs?: number;
};

export type ManageRule = OtherWishesRule & {
  readonly set: PodOrder["set"];
  readonly minReadySeconds: number;
  readonly isPrepared: (pod: DaemonPod) => boolean;
  readonly strayUid: Observed["strayUid"];
};

const NO_DELETIONS: readonly Deletion[] = Object.freeze([]);
/** Of a node at rest; always this value. */
export const NO_NEED: Need = Object.freeze({ deletions: NO_DELETIONS });

/** Says what a node needs. One whose patches cannot be applied is held, also if it has a pod that it may keep. */
export function manageNode(view: NodeView, rule: ManageRule): Need {
  const need = needOf(view, rule);
  const { placement, node } = view;
  if (placement.rendering.ok || !placement.shouldRun || need.hold !== undefined) return need;
  return { ...need, hold: rejection(node.name, placement.rendering.problems) };
}

function rejection(node: string, problems: readonly Problem[]): Hold {
  return { node, reason: "PatchRejected", because: problemText(problems) };
}

function needOf(view: NodeView, rule: ManageRule): Need {
  const { placement, node, current, old, ended, leaving } = view;
  const isAtRest = current.length === 1 && old.length === 0 && ended.length === 0;
  if (isAtRest && placement.shouldContinueRunning && leaving.length === 0) return NO_NEED;
  if (node.isLeaving) return NO_NEED;
  if (!placement.shouldContinueRunning) return ineligibleNeed(view);
  const lives = current.length + old.length > 0;
  if (lives) return livingNeed(view, rule);
  return placement.shouldRun ? nextPod(view, rule) : { deletions: endedDeletions(ended) };
}

/**
 * Those that were asked to go. One goes because it serves nobody, or because another one serves; the last that serves is taken as people's other pods
 * are (`pace-marked.ts`).
 */
function preparedDeletions(view: NodeView, rule: ManageRule): readonly Deletion[] {
  const living = livingPods(view);
  const prepared = living.filter(rule.isPrepared);
  if (prepared.length === 0) return NO_DELETIONS;
  const server = living.find((pod) => isAvailable(pod, rule.minReadySeconds, rule.nowMs));
  return prepared.map((pod) => {
    if (server === undefined) return deletion(pod, "prepared", { isFenced: true });
    return deletion(pod, "prepared", server === pod ? {} : { kept: { pod: server, facts: view.node } });
  });
}

function ineligibleNeed({ current, old, ended }: NodeView): Need {
  const there = [...current, ...old, ...ended].filter(({ isLeaving }) => !isLeaving);
  return { deletions: there.map((pod) => deletion(pod, "ineligible")) };
}

function livingNeed(view: NodeView, rule: ManageRule): Need {
  const { current, old, ended } = view;
  const [pod] = current;
  const [predecessor] = old;
  const only = current.length + old.length === 1 && ended.length === 0 ? (pod ?? predecessor) : undefined;
  if (only !== undefined && !rule.isPrepared(only)) return NO_NEED;
  // A pod that failed beside an old one stays until its successor comes: it knows how often that happened.
  const isAwaited = rule.isSurging && pod === undefined;
  const always = [...(isAwaited ? NO_DELETIONS : endedDeletions(ended)), ...preparedDeletions(view, rule)];
  const swap = oneOfSeveral(view, rule);
  return { ...swap, deletions: [...always, ...swap.deletions] };
}

/** What makes one pod of several, once nobody can be about to take the one that stays. */
function oneOfSeveral(view: NodeView, rule: ManageRule): Need {
  const { node, current, old } = view;
  const [pod] = current;
  const [predecessor] = old;
  const surplus = surplusDeletions(view, rule);
  const isPair = pod !== undefined && predecessor !== undefined && !rule.isPrepared(predecessor);
  if (!isPair && surplus.length === 0) return NO_NEED;
  const busyMs = pairBusyUntilMs(view, rule);
  if (busyMs !== undefined) {
    const because = "it has several pods, and another replica may not know yet which of them is wanted";
    const hold = { node: node.name, reason: "Settling" as const, because };
    return { deletions: NO_DELETIONS, hold, lookAgainAtMs: busyMs };
  }
  if (!isPair) return { deletions: surplus };
  const pair: Pair = { pod, predecessor, facts: node };
  const swap = rule.isSurging ? relieve(pair, rule) : chooseOne(pair, rule);
  return { ...swap, deletions: [...surplus, ...swap.deletions] };
}

/** All live pods but the first current and the first old one; and the first old one where only one that was asked to go serves. */
function surplusDeletions({ node, current, old }: NodeView, rule: ManageRule): readonly Deletion[] {
  const kept = current[0] ?? old[0];
  const others = [...current.slice(1), ...old.slice(1)].filter((each) => !rule.isPrepared(each));
  const surplus = (pod: DaemonPod, stays: DaemonPod, isFenced: boolean) =>
    deletion(pod, "surplus", { isFenced, kept: { pod: stays, facts: node } });
  if (kept === undefined || others.length > 0) return others.map((each) => surplus(each, kept ?? each, false));
  // Nobody wants it, and it stands where a successor of the other one has to come.
  const isServing = (each: DaemonPod) => isAvailable(each, rule.minReadySeconds, rule.nowMs);
  const server = current.length > 0 || kept.readySinceMs !== undefined ? undefined : old.find(isServing);
  return server === undefined ? NO_DELETIONS : [surplus(kept, server, true)];
}

/** Conditions tell whole seconds: what has been ready since second 5 may have become so at the end of it. */
const CUT_SECONDS = 1;

type Pair = { readonly pod: DaemonPod; readonly predecessor: DaemonPod; readonly facts: NodeFacts };

/** The old pod goes when the new one serves, or when it serves nobody itself. */
function relieve({ pod, predecessor, facts }: Pair, { minReadySeconds, nowMs }: ManageRule): Need {
  const isIdle = predecessor.readySinceMs === undefined;
  const kept = { pod, facts };
  const waitSeconds = minReadySeconds === 0 ? 0 : minReadySeconds + CUT_SECONDS;
  if (isAvailable(pod, waitSeconds, nowMs)) return { deletions: [deletion(predecessor, "relieved", { kept })] };
  if (isIdle) return { deletions: [deletion(predecessor, "relieved", { kept, isFenced: true })] };
  const lookAgainAtMs = availableFromMs(pod, waitSeconds);
  return { deletions: NO_DELETIONS, ...(lookAgainAtMs === undefined ? {} : { lookAgainAtMs }) };
}

/** Two pods where there should be one, as after a change of the strategy: whichever serves stays, the new one in doubt. */
function chooseOne({ pod, predecessor, facts }: Pair, { minReadySeconds, nowMs }: ManageRule): Need {
  const isOldBetter = isAvailable(predecessor, minReadySeconds, nowMs) && !isAvailable(pod, minReadySeconds, nowMs);
  const [goes, stays] = isOldBetter ? [pod, predecessor] : [predecessor, pod];
  return { deletions: [deletion(goes, "surplus", { kept: { pod: stays, facts } })] };
}

/** The pod that a node should get next to whatever it has, or what that waits for. */
export function nextPod(view: NodeView, rule: ManageRule): Need {
  const { node, placement, old, ended, leaving } = view;
  const { rendering } = placement;
  const { name } = node;
  if (!rendering.ok) return { deletions: NO_DELETIONS, hold: rejection(name, rendering.problems) };
  const [last] = ended;
  const pause = last && failurePause(last, rule.set.generation, rule.nowMs);
  if (last !== undefined && pause !== undefined && pause.endsAtMs > rule.nowMs && !last.isLeaving) {
    const because = `its pod ${last.phase === "Failed" ? "failed" : "ended"} again; the next one waits a little longer`;
    const hold = { node: name, reason: "FailedDaemonPod" as const, because };
    return { deletions: NO_DELETIONS, hold, lookAgainAtMs: pause.endsAtMs };
  }
  const deletions = endedDeletions(ended.slice(1));
  const berth = berthOf(view, rendering.value.hash, rule);
  const blocker = leaving.find((each) => !rule.isSurging || isAwaitedBy(berth, each));
  if (blocker !== undefined) {
    const because = `pod ${blocker.name} is still ending`;
    return { deletions, hold: { node: name, reason: "HandOver", because } };
  }
  const busyMs = berthBusyUntilMs(view, rule);
  if (busyMs !== undefined) {
    const because = "what it should run changed a moment ago, and another replica may not know yet";
    return { deletions, hold: { node: name, reason: "Settling", because }, lookAgainAtMs: busyMs };
  }
  const [replaces] = endedDeletions(ended.slice(0, 1));
  const why = last === undefined ? `${name} has no pod` : `${last.name} on ${name} has ended`;
  const made = { berth, node: name, rendered: rendering.value, ...(pause && { failures: pause.failures }) };
  return { deletions, creation: { ...made, facts: node, last, beside: old[0], why, replaces } };
}

function berthOf({ node, old, ended }: NodeView, hash: string, { set, isSurging, strayUid }: ManageRule): Berth {
  const holderUid = (name: string) => [...old, ...ended].find((pod) => pod.name === name)?.uid ?? strayUid(name);
  return { set, node: node.name, hash, last: ended[0], isSurging, holderUid };
}

/**
 * Also in a surge the next pod waits for one of the same rendering that is leaving: who sees that one fail while it leaves names the next pod
 * after it, and has made it by the time that it is gone, or a moment later.
 */
function isAwaitedBy(berth: Berth, { name, labels }: DaemonPod): boolean {
  return labels[RENDERED_HASH] === berth.hash || name === podName(berth);
}

function endedDeletions(ended: readonly DaemonPod[]): readonly Deletion[] {
  return ended
    .filter(({ isLeaving }) => !isLeaving)
    .map((pod) => deletion(pod, pod.phase === "Failed" ? "failed" : "succeeded"));
}

/** A deletion with its reason in words. */
export function deletion(
  pod: DaemonPod,
  cause: DeletionCause,
  { isFenced = false, kept }: Partial<Pick<Deletion, "isFenced" | "kept">> = {},
): Deletion {
  const why = `${pod.name} on ${pod.node} ${becauseOf(cause, pod)}`;
  return { pod, cause, isFenced, why, ...(kept === undefined ? {} : { kept }) };
}

function becauseOf(cause: DeletionCause, { phaseReason }: DaemonPod): string {
  switch (cause) {
    case "ineligible":
      return "should not run there";
    case "surplus":
      return "is one too many";
    case "failed":
      return `failed${phaseReason === "" ? "" : `: ${phaseReason}`}`;
    case "succeeded":
      return "ended, and a daemon should not";
    case "relieved":
      return "has a successor that serves";
    case "lost":
      return "waits for a node that is gone";
    case "outdated":
      return "is not what the node should run";
    case "prepared":
      return "was asked to go";
  }
}
