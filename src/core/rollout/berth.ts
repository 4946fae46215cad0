// How one node of a family stands: what it wants, what it is bound to, and what follows from that before any budget is asked. A family
// is the native DaemonSets of one object; a node is bound to at most one of them by the value of a label.

import type { Reason } from "../decision/reasons.ts";
import type { Refusal } from "../decision/snapshot.ts";
import type { IntOrPercent } from "../values/int-or-percent.ts";
import { quoted } from "../values/shown.ts";

/** How long a bound node must have wanted something else before it is moved: facts flap while a node starts or is relabelled. */
export const DAMPING_MS = 10_000;

/** What a node should run, as resolving says. */
export type Wish =
  | { readonly kind: "workload"; readonly key: string }
  /** It stays bound to what it is bound to, also if that is nothing, and is updated with it. */
  | { readonly kind: "same" }
  /** Our label leaves it, and nobody misses anything there. */
  | { readonly kind: "nothing" }
  /** Our label leaves it whatever the budget, since what it is bound to cannot work there; it is unavailable from now on. */
  | { readonly kind: "rid" }
  /** Nothing is done to it: a taint keeps pods away, or the node is being deleted. It counts only while a failed update is on it. */
  | { readonly kind: "untouched" };

/** One node as the family sees it. */
export type Berth<Pod> = {
  readonly node: string;
  readonly wish: Wish;
  /** Since when, in wall ms, the wish is what it is; it may be older than that. */
  readonly wishSinceMs: number;
  /** The value of the binding label; undefined when the node has none. */
  readonly boundTo: string | undefined;
  /** Every pod of the family that is for this node, until it is gone. */
  readonly pods: readonly BerthPod<Pod>[];
  /** What it is bound to counts more pods than are seen: one of them may be here. */
  readonly areSomeUnseen: boolean;
  readonly isNodeReady: boolean;
  /** Why it did not take what was last written to it, if so: others are taken before it is tried again. */
  readonly refusal?: Refusal | undefined;
  /** Why nothing may be bound to the node yet although no pod of the family is in the way. */
  readonly obstacle?: string;
};

export type BerthPod<Pod> = {
  /** What the caller calls it: handed back when it should be deleted. */
  readonly pod: Pod;
  /** The key of its workload. */
  readonly key: string;
  /** It is as its workload's template says, or nobody knows yet that it is not. */
  readonly isCurrent: boolean;
  readonly isLeaving: boolean;
  /** From when it counts as available, which may lie ahead. */
  readonly availableFromMs: number | undefined;
};

/** A workload that a node may be bound to. */
export type FamilyWorkload = {
  /** It is there, or the same plan makes it before it binds. */
  readonly exists: boolean;
  /** Its pods go also to nodes that are not bound to it: it was just adopted. Nodes with such pods are bound first. */
  readonly isOpen: boolean;
  /** Why no further node may be bound to it. */
  readonly wait: { readonly reason: Reason; readonly because: string } | undefined;
  /** Why it is not yet what its nodes should run, or why nobody can tell. */
  readonly behind?: { readonly reason: Reason; readonly because: string } | undefined;
  /** The same plan changes it: only then is known which of its pods are outdated, and a pod deleted before may come back as it was. */
  readonly isChanging?: boolean;
};

export type Family = {
  /** By key: all that exist, and all that a node wants. */
  readonly workloads: ReadonlyMap<string, FamilyWorkload>;
  /** The nodes that should run something: what percentages are of. */
  readonly nodeCount: number;
  readonly strategy: {
    readonly maxUnavailable: IntOrPercent;
    readonly maxParallel: IntOrPercent;
    readonly isPaused: boolean;
  };
};

/** Of a workload that exists and gets a template by which its pods are outdated. */
export const CHANGING: NonNullable<FamilyWorkload["behind"]> = Object.freeze({
  reason: "Progressing",
  because: "its DaemonSet is being changed",
});

/** How one node stands, and what follows from it. */
export type Standing<Pod> =
  | { readonly is: "at rest" }
  | { readonly is: "bind"; readonly key: string; readonly why: string; readonly isServing: boolean }
  /** `isMissed`: something should run there, so the node is unavailable until it does. */
  | { readonly is: "unbind"; readonly why: string; readonly isMissed?: boolean }
  /** It must be taken, which is a matter of the budget. */
  | { readonly is: "misfit"; readonly key: string; readonly why: string; readonly isServing: boolean }
  | { readonly is: "outdated"; readonly key: string; readonly pods: readonly Pod[]; readonly isServing: boolean }
  /** On the move: the old pod is not gone, or the new one does not serve. */
  | {
      readonly is: "moving";
      readonly reason: "HandOver" | "Progressing" | "NodeNotReady";
      readonly because: string;
      readonly atMs?: number;
      /** The workload whose newest pod is on the node and is not available. */
      readonly failedKey?: string;
    }
  | {
      readonly is: "held";
      readonly reason: Reason;
      readonly because: string;
      readonly isServing: boolean;
      /** A node that waits for something that it alone needs must not stop the others. */
      readonly isCounted: boolean;
      readonly atMs?: number;
    };

export type Ground = {
  readonly family: Family;
  /** The workload that is being adopted, if one is. */
  readonly openKey: string | undefined;
  readonly nowMs: number;
};

const AT_REST: { readonly is: "at rest" } = Object.freeze({ is: "at rest" });
const SAME: { readonly kind: "same" } = Object.freeze({ kind: "same" });

/** Says how a node stands. */
export function standingOf<Pod>(berth: Berth<Pod>, ground: Ground): Standing<Pod> {
  const { wish: asked, boundTo } = berth;
  const adopted = boundTo === undefined ? openPodKey(berth, ground) : undefined;
  // Also where a taint keeps new pods away: without the label, adoption would drive away the pod that is there.
  if (adopted !== undefined) return bind(berth, adopted, ground, "runs a pod of it already");
  if (asked.kind === "untouched") return untouched(berth, ground);
  const wish = mayHideAPod(berth) ? SAME : asked;
  if (wish.kind === "nothing") return leaving(berth, ground);
  if (wish.kind === "rid") return ridding(berth, ground);
  const key = wish.kind === "same" ? boundTo : wish.key;
  if (key === undefined) return AT_REST;
  if (boundTo === undefined) return unbound(berth, key, ground);
  // A label that points to a workload that is not there holds nothing.
  if (!exists(boundTo, ground)) return stranded(berth, key, ground);
  return boundTo === key ? bound(berth, key, ground) : misfit(berth, key, ground);
}

/** Nothing may be started there; but if the newest pod of what it is bound to is not available, the update may have caused that. */
function untouched<Pod>(berth: Berth<Pod>, ground: Ground): Standing<Pod> {
  const { boundTo } = berth;
  if (boundTo === undefined || !exists(boundTo, ground)) return AT_REST;
  return isFailedUpdate(berth, boundTo, ground) ? starting(berth, boundTo, "its pod is not available") : AT_REST;
}

function isFailedUpdate<Pod>(berth: Berth<Pod>, key: string, ground: Ground): boolean {
  const isNewest = (pod: BerthPod<Pod>) => pod.key === key && pod.isCurrent && !pod.isLeaving;
  return berth.pods.some(isNewest) && !isAvailable(berth, key, ground);
}

/** Bound as it should be, with a pod of the newest revision that is not available. */
function starting<Pod>({ isNodeReady }: Berth<Pod>, failedKey: string, because: string): Standing<Pod> {
  if (isNodeReady) return { is: "moving", reason: "Progressing", because, failedKey };
  return { is: "moving", reason: "NodeNotReady", because: `the node is not Ready, and ${because}`, failedKey };
}

/**
 * A watch may be deaf without anybody knowing, and then a pod that is there is not seen. A node whose pod its workload may still count
 * stays where it is until the pod is seen, or the count is lower: else it would be taken for empty, and bound beside that pod.
 */
function mayHideAPod<Pod>({ boundTo, pods, areSomeUnseen }: Berth<Pod>): boolean {
  return areSomeUnseen && !pods.some(({ key }) => key === boundTo);
}

/** Out of scope, or nothing suits it. It is not asked for, so it costs no budget. */
function leaving<Pod>(berth: Berth<Pod>, ground: Ground): Standing<Pod> {
  const { boundTo } = berth;
  if (boundTo === undefined) return AT_REST;
  if (exists(boundTo, ground) && isSettling(berth, ground)) return settling(berth, { isCounted: false });
  return { is: "unbind", why: `should not run ${quoted(boundTo)} any more` };
}

/** It should run something, and not what it is bound to: it is down already, so waiting for a budget would help nobody. */
function ridding<Pod>(berth: Berth<Pod>, ground: Ground): Standing<Pod> {
  const { boundTo } = berth;
  if (boundTo === undefined) return AT_REST;
  if (exists(boundTo, ground) && isSettling(berth, ground)) {
    return settling(berth, { isServing: false, isCounted: true });
  }
  return { is: "unbind", why: `cannot run ${quoted(boundTo)} any more`, isMissed: true };
}

function unbound<Pod>(berth: Berth<Pod>, key: string, ground: Ground): Standing<Pod> {
  const hold = bindingHold(berth, key, ground);
  return hold ?? bind(berth, key, ground, `should run ${quoted(key)}`);
}

/** Nothing can be lost here: it is bound anew at once, or at least not to what is not there. */
function stranded<Pod>(berth: Berth<Pod>, key: string, ground: Ground): Standing<Pod> {
  const why = `is bound to ${quoted(berth.boundTo)}, which is not there`;
  if (!exists(key, ground) || bindingHold(berth, key, ground) !== undefined) return { is: "unbind", why };
  return bind(berth, key, ground, `should run ${quoted(key)}`);
}

function bindingHold<Pod>(berth: Berth<Pod>, key: string, ground: Ground): Standing<Pod> | undefined {
  const other = berth.pods.find((pod) => pod.key !== key);
  if (other !== undefined) {
    return { is: "moving", reason: "HandOver", because: `a pod of ${quoted(other.key)} is still on it` };
  }
  if (berth.obstacle !== undefined) return { is: "moving", reason: "HandOver", because: berth.obstacle };
  return workloadHold(key, ground, { isServing: false, isCounted: false });
}

/** Why nobody may be bound to a workload now. */
function workloadHold(
  key: string,
  { family, openKey }: Ground,
  standing: { readonly isServing: boolean; readonly isCounted: boolean },
): Standing<never> | undefined {
  const workload = family.workloads.get(key);
  if (workload?.wait !== undefined) return { is: "held", ...workload.wait, ...standing };
  if (workload === undefined || !workload.exists) {
    return { is: "held", reason: "WaitingForWorkload", because: `${quoted(key)} does not exist yet`, ...standing };
  }
  // Its pods may appear on any node, so nothing else is bound before they cannot.
  if (openKey !== undefined && openKey !== key) {
    return { is: "held", reason: "WaitingForWorkload", because: `${quoted(openKey)} is being adopted`, ...standing };
  }
  return undefined;
}

function misfit<Pod>(berth: Berth<Pod>, key: string, ground: Ground): Standing<Pod> {
  const isServing = serves(berth, ground);
  if (isSettling(berth, ground)) return settling(berth, { isServing, isCounted: true });
  const hold = workloadHold(key, ground, { isServing, isCounted: true });
  return hold ?? { is: "misfit", key, why: `moves from ${quoted(berth.boundTo)} to ${quoted(key)}`, isServing };
}

function bound<Pod>(berth: Berth<Pod>, key: string, ground: Ground): Standing<Pod> {
  const own = berth.pods.filter((pod) => pod.key === key && !pod.isLeaving);
  const isServing = serves(berth, ground);
  const { behind, isChanging = false } = ground.family.workloads.get(key) ?? {};
  const outdated = own.filter((pod) => !pod.isCurrent && !isChanging);
  if (outdated.length > 0) return { is: "outdated", key, pods: outdated.map(({ pod }) => pod), isServing };
  if (behind !== undefined) return { is: "held", ...behind, isServing, isCounted: true };
  if (isServing) return AT_REST;
  const [first] = own;
  const atMs = first?.availableFromMs;
  if (atMs !== undefined)
    return { is: "moving", reason: "Progressing", because: "its pod is ready, not yet for long", atMs, failedKey: key };
  if (first !== undefined) return starting(berth, key, "its pod is not ready");
  return { is: "moving", reason: "Progressing", because: `it has no pod of ${quoted(key)} yet` };
}

function bind<Pod>(berth: Berth<Pod>, key: string, ground: Ground, why: string): Standing<Pod> {
  return { is: "bind", key, why, isServing: isAvailable(berth, key, ground) };
}

function isSettling<Pod>({ wishSinceMs }: Berth<Pod>, { nowMs }: Ground): boolean {
  return nowMs < wishSinceMs + DAMPING_MS;
}

function settling<Pod>(
  { wishSinceMs }: Berth<Pod>,
  { isServing = true, isCounted }: { readonly isServing?: boolean; readonly isCounted: boolean },
): Standing<Pod> {
  const atMs = wishSinceMs + DAMPING_MS;
  return { is: "held", reason: "Settling", because: "its facts changed a moment ago", isServing, isCounted, atMs };
}

function serves<Pod>(berth: Berth<Pod>, ground: Ground): boolean {
  return berth.boundTo !== undefined && isAvailable(berth, berth.boundTo, ground);
}

function isAvailable<Pod>({ pods }: Berth<Pod>, key: string, { nowMs }: Ground): boolean {
  return pods.some(
    (pod) => pod.key === key && !pod.isLeaving && (pod.availableFromMs ?? Number.POSITIVE_INFINITY) <= nowMs,
  );
}

function exists(key: string, { family }: Ground): boolean {
  return family.workloads.get(key)?.exists === true;
}

/** The first workload whose pods go to nodes that are not bound to it. */
export function openKeyOf({ workloads }: Family): string | undefined {
  for (const [key, { isOpen }] of workloads) if (isOpen) return key;
  return undefined;
}

function openPodKey<Pod>({ pods }: Berth<Pod>, { family }: Ground): string | undefined {
  return pods.find(({ key, isLeaving }) => !isLeaving && family.workloads.get(key)?.isOpen === true)?.key;
}
