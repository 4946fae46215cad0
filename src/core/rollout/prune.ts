// Pruning: when a DaemonSet that no node needs any more is deleted. That it wants no pods is no proof, since a fresh or a tainted one says
// so too; here everything that could still need it is asked, and the answer must have lasted for a grace period.
//
// Guarantees: nothing is deleted that a node wants or is bound to, that has a pod, or of which the controller's counts are old.
// The instant is kept in an annotation of the DaemonSet itself, so that a new process goes on counting where the last one stopped.
import { timestamp } from "../decision/conditions.ts";
import { instantIn } from "../decision/object-identity.ts";
import type { ObjectRef, Step } from "../decision/step.ts";
import { quoted } from "../values/shown.ts";
import type { Workload } from "./workload.ts";

/** Since when nobody needs the DaemonSet. */
export const UNUSED_SINCE = "farrier.dev/unused-since";

/** What is known of a workload's use. */
export type Use = {
  /** A node should run it, or a decision about one is open. */
  readonly isWanted: boolean;
  /** Nodes that carry the label by which they are bound to it, in scope or not. */
  readonly boundNodes: number;
  /** Pods of it, leaving ones too. */
  readonly pods: number;
};

export type PruneAnswer = {
  readonly step: Step | undefined;
  /** When to look again; undefined where only a change can matter. */
  readonly lookAgainAtMs: number | undefined;
  /** Why it is kept, as a clause; undefined when it is deleted now. */
  readonly keptBecause: string | undefined;
};

/** Decides whether a workload goes, stays, or begins or ends to count its unused time. */
export function prune(workload: Workload, use: Use, graceMs: number, nowMs: number): PruneAnswer {
  if (workload.isLeaving) return kept("it is being deleted");
  const since = unusedSinceMs(workload);
  const needed = neededBecause(use);
  if (needed !== undefined)
    return { ...kept(needed), step: since === undefined ? undefined : mark(workload, null, needed) };
  const why = "no node needs it any more";
  if (since === undefined) return { ...kept(why), step: mark(workload, timestamp(nowMs), why) };
  // Clocks differ: an instant that lies ahead must not keep it for ever.
  const goneAtMs = Math.min(since, nowMs) + graceMs;
  if (nowMs < goneAtMs)
    return { ...kept(`${why}; it is kept until the grace period has passed`), lookAgainAtMs: goneAtMs };
  const unproven = unprovenBecause(workload);
  if (unproven !== undefined) return kept(unproven);
  const { uid } = workload;
  const step: Step = { do: "delete", target: refOf(workload), uid, propagation: "Background", why };
  return { step, lookAgainAtMs: undefined, keptBecause: undefined };
}

/** Since when a workload is marked as unused, in wall ms. */
export function unusedSinceMs({ annotations }: Workload): number | undefined {
  return Object.hasOwn(annotations, UNUSED_SINCE) ? instantIn(annotations[UNUSED_SINCE]) : undefined;
}

function neededBecause({ isWanted, boundNodes, pods }: Use): string | undefined {
  if (isWanted) return "nodes should run it";
  if (boundNodes > 0) return `${boundNodes} nodes are bound to it`;
  return pods > 0 ? `${pods} pods of it are left` : undefined;
}

/** The controller's counts, as far as they speak of the workload as it is. */
function unprovenBecause({ generation, status }: Workload): string | undefined {
  if (status.observedGeneration < generation) return "its controller has not looked at it yet";
  const isEmpty = status.desired === 0 && status.current === 0 && status.misscheduled === 0;
  return isEmpty ? undefined : "its controller still counts pods of it";
}

/** A patch and no apply: an apply that holds the annotation alone would take away all else that we applied. */
function mark(workload: Workload, value: string | null, why: string): Step {
  const { name, uid } = workload;
  return {
    ...{ do: "patch", patchType: "merge", target: refOf(workload), why: `${quoted(name)}: ${why}` },
    patch: { metadata: { uid, annotations: { [UNUSED_SINCE]: value } } },
  };
}

function kept(because: string): PruneAnswer {
  return { step: undefined, lookAgainAtMs: undefined, keptBecause: because };
}

function refOf({ namespace, name }: Workload): ObjectRef {
  return { apiVersion: "apps/v1", kind: "DaemonSet", namespace, name };
}
