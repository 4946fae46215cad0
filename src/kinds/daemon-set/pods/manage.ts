// What one node needs apart from updates: a pod if it has none, and an end of pods that it should not have.
//
// Guarantees: a node gets a pod only when no other pod of the set lives there or is still ending, except where a new pod may stand
// beside the old one. Nothing is made where nothing can be rendered.
//
// This folder is about the pods of one node. Beside this file:
//   claim.ts: which pods and revisions the set owns
//   node-pods.ts, standing.ts, several-pods.ts: sorts a node's pods; which one stays
//   pod-name.ts, pod-body.ts, pod-keys.ts: a new pod: its name, its body, its labels
//   steps.ts, fenced-steps.ts, deletion.ts: creations and deletions as writes
//   lifecycle.ts: the preDelete hook
//   failure-pause.ts: back-off between pods that fail
//   repair.ts, replicas.ts: labels put right, and the number that disruption budgets read
//   other-wishes.ts: waits for replicas that saw an older spec

import type { Hold } from "../../../core/decision/plan.ts";
import type { Problem } from "../../../core/decision/problem.ts";
import type { NodeFacts } from "../../../core/node/node-facts.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import type { Observed } from "../observe.ts";
import { problemText } from "../resolve.ts";
import { type Deletion, deletion, NO_DELETIONS } from "./deletion.ts";
import { failurePause } from "./failure-pause.ts";
import { isPreparingDelete } from "./lifecycle.ts";
import type { NodeView } from "./node-pods.ts";
import { berthBusyUntilMs, type OtherWishesRule } from "./other-wishes.ts";
import type { PodOrder } from "./pod-body.ts";
import { RENDERED_HASH } from "./pod-keys.ts";
import { type Berth, plainName, podName } from "./pod-name.ts";
import { oneOfSeveral, preparedDeletions } from "./several-pods.ts";

export type Creation = Pick<PodOrder, "node" | "rendered" | "failures"> & {
  /** What its name follows from. */
  readonly berth: Berth;
  /** The node as it was seen, the pod that ended there, and the one that stays for now and has the name that this one would have. */
  readonly facts: NodeFacts;
  readonly last: DaemonPod | undefined;
  readonly namesake: DaemonPod | undefined;
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
  /** A new pod may stand beside the old one. */
  readonly isSurging: boolean;
  readonly strayUid: Observed["strayUid"];
};

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

function ineligibleNeed({ current, old, ended }: NodeView): Need {
  const there = [...current, ...old, ...ended].filter(({ isLeaving }) => !isLeaving);
  return { deletions: there.map((pod) => deletion(pod, "ineligible")) };
}

function livingNeed(view: NodeView, rule: ManageRule): Need {
  const { current, old, ended } = view;
  const [pod] = current;
  const [predecessor] = old;
  const only = current.length + old.length === 1 && ended.length === 0 ? (pod ?? predecessor) : undefined;
  if (only !== undefined && !isPreparingDelete(only)) return NO_NEED;
  // A pod that failed beside an old one stays until its successor comes: it knows how often that happened.
  const isAwaited = rule.isSurging && pod === undefined;
  const always = [...(isAwaited ? NO_DELETIONS : endedDeletions(ended)), ...preparedDeletions(view, rule)];
  const swap = oneOfSeveral(view, rule);
  return { ...swap, deletions: [...always, ...swap.deletions] };
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
  const namesake = old.find((pod) => pod.name === plainName(berth));
  const why = last === undefined ? `${name} has no pod` : `${last.name} on ${name} has ended`;
  const made = { berth, node: name, rendered: rendering.value, ...(pause && { failures: pause.failures }) };
  return { deletions, creation: { ...made, facts: node, last, namesake, why, replaces } };
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
