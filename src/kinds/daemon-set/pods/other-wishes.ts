// Another replica, where no lease keeps it away, may not have seen yet what the set asks for by now, and do for a moment what was asked for
// before. Names tell renderings apart, so no AlreadyExists stands between its pods and ours; and its budget is not ours. Only time helps.
//
// Guarantees: what another replica sent before it could know of the change is seen before we make a pod on an empty node, take one of several, or go on with a
// rollout that the change has interrupted, if it was under way no longer than ALONE_MS. Who had nothing to do before has nothing under
// way: an update of a set at rest begins at once, and a node that had a pod after the change gets the next one at once.

import type { Observed } from "../observe.ts";
import type { NodeView } from "./node-pods.ts";
import { REVISION_HASH } from "./pod-keys.ts";

/** Longer than a write may be under way, and than the news of it may take to come back. */
export const ALONE_MS = 3_000;

/** How long the labels of a node must have stood before its pod is replaced for them: what flaps must not restart daemons. */
export const SETTLING_MS = 5_000;

export type OtherWishesRule = Pick<Observed, "aloneSinceMs" | "wishSinceMs"> & { readonly nowMs: number };

/** Until when, in wall ms, the next pod of a node has to wait for what others may have sent; undefined if it need not. */
export function berthBusyUntilMs({ node, old }: NodeView, rule: OtherWishesRule): number | undefined {
  // Where an old pod lives, pacing has the say.
  if (old.length > 0) return undefined;
  return busyUntilMs(rule.aloneSinceMs(node.name), rule.nowMs);
}

/**
 * Until when, in wall ms, all of several pods of a node have to stay, since another replica may be taking one of them upon an older wish; undefined if
 * none can. Unlike an empty node this one tells nothing by a pod that went.
 */
export function pairBusyUntilMs({ node }: NodeView, rule: OtherWishesRule): number | undefined {
  return busyUntilMs(Math.max(rule.wishSinceMs, rule.aloneSinceMs(node.name)), rule.nowMs);
}

/** Until when, in wall ms, no node may be taken, since another replica may go on with what it had begun; undefined if none can. */
export function rolloutBusyUntilMs(observed: Observed, nowMs: number): number | undefined {
  const untilMs = busyUntilMs(observed.wishSinceMs, nowMs);
  return untilMs !== undefined && wasMoving(observed, nowMs) ? untilMs : undefined;
}

/**
 * Whether anybody may have had something to do: there are pods of another revision than the one before the newest, or nodes whose labels have
 * changed. Pods of the newest count, too: a set that goes back to it may have left them behind.
 */
function wasMoving({ pods, history, desired, factsSinceMs }: Observed, nowMs: number): boolean {
  const previous = history.older.at(-1)?.hash;
  const isRelabelled = ({ node }: NodeView) => factsSinceMs(node.name) + SETTLING_MS + ALONE_MS > nowMs;
  return pods.some(({ labels }) => labels[REVISION_HASH] !== previous) || desired.some(isRelabelled);
}

function busyUntilMs(sinceMs: number, nowMs: number): number | undefined {
  const untilMs = sinceMs + ALONE_MS;
  // What is said to begin later was noted before the clock was set back.
  return sinceMs <= nowMs && untilMs > nowMs ? untilMs : undefined;
}
