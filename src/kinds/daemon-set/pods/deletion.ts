// A pod that goes, with its reason: what decisions say of it before it comes down to writes (`steps.ts`).

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";

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

export const NO_DELETIONS: readonly Deletion[] = Object.freeze([]);

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
