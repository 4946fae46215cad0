// A node with more pods than it should have: which of them stays, and which were asked to go before.
//
// Guarantees: where one goes because of another, the deletion names the one that stays, so that it can be read before (`steps.ts`).

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import { availableFromMs, type DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { type Deletion, deletion, NO_DELETIONS } from "./deletion.ts";
import { isPreparingDelete } from "./lifecycle.ts";
import type { ManageRule, Need } from "./manage.ts";
import { isAvailable, livingPods, type NodeView } from "./node-pods.ts";
import { pairBusyUntilMs } from "./other-wishes.ts";

/**
 * Those that were asked to go. One goes because another one serves, or because it serves nobody itself; the last that people use is taken as their
 * other pods are (`pace-marked.ts`).
 */
export function preparedDeletions(view: NodeView, rule: ManageRule): readonly Deletion[] {
  const living = livingPods(view);
  const prepared = living.filter(isPreparingDelete);
  if (prepared.length === 0) return NO_DELETIONS;
  const server = living.find((pod) => isAvailable(pod, reliefSeconds(rule), rule.nowMs));
  return prepared.map((pod) => {
    const isRelieved = server !== undefined && server !== pod;
    if (isRelieved) return deletion(pod, "prepared", { kept: { pod: server, facts: view.node } });
    return deletion(pod, "prepared", { isFenced: pod.readySinceMs === undefined });
  });
}

/** What makes one pod of several, once nobody can be about to take the one that stays. */
export function oneOfSeveral(view: NodeView, rule: ManageRule): Need {
  const { node, current, old } = view;
  const [pod] = current;
  const [predecessor] = old;
  const surplus = [...surplusOf(current, node), ...surplusOf(old, node), ...roomFor(view, rule)];
  const isPair = pod !== undefined && predecessor !== undefined && !isPreparingDelete(predecessor);
  if (!isPair && surplus.length === 0) return { deletions: NO_DELETIONS };
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

/** Of pods that are worth the same all but the first. */
function surplusOf([first, ...others]: readonly DaemonPod[], facts: NodeFacts): readonly Deletion[] {
  if (first === undefined) return NO_DELETIONS;
  const surplus = others.filter((each) => !isPreparingDelete(each));
  return surplus.map((each) => deletion(each, "surplus", { kept: { pod: first, facts } }));
}

/** In a surge one that nobody wants and nobody uses, where the pod that people use was asked to go: a successor of that one has to come there. */
function roomFor({ node, current, old }: NodeView, { isSurging }: ManageRule): readonly Deletion[] {
  const [first, ...others] = old;
  const used = others.find((each) => isPreparingDelete(each) && each.readySinceMs !== undefined);
  if (!isSurging || current.length > 0 || first === undefined || used === undefined) return NO_DELETIONS;
  const isInTheWay = !isPreparingDelete(first) && first.readySinceMs === undefined;
  return isInTheWay ? [deletion(first, "surplus", { isFenced: true, kept: { pod: used, facts: node } })] : NO_DELETIONS;
}

/** Conditions tell whole seconds: what has been ready since second 5 may have become so at the end of it. */
const CUT_SECONDS = 1;

/** For how long a pod must have been ready before another one of its node goes because of it. */
export function reliefSeconds({
  isSurging,
  minReadySeconds,
}: Pick<ManageRule, "isSurging" | "minReadySeconds">): number {
  return isSurging && minReadySeconds > 0 ? minReadySeconds + CUT_SECONDS : minReadySeconds;
}

type Pair = { readonly pod: DaemonPod; readonly predecessor: DaemonPod; readonly facts: NodeFacts };

/** The old pod goes when the new one serves, or when it serves nobody itself. */
function relieve({ pod, predecessor, facts }: Pair, rule: ManageRule): Need {
  const isIdle = predecessor.readySinceMs === undefined;
  const kept = { pod, facts };
  const waitSeconds = reliefSeconds(rule);
  if (isAvailable(pod, waitSeconds, rule.nowMs)) return { deletions: [deletion(predecessor, "relieved", { kept })] };
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
