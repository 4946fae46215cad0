// The numbers of a set, as its status gives them: nodes at rest as they were counted, and one look at every other.
import { availableFromMs, type DaemonPod } from "../../core/pod/daemon-pod.ts";
import { isAvailable, livingPods, type NodeView } from "./pods/node-pods.ts";
import { isStillInScope } from "./rollout/lost-nodes.ts";
import type { RestCount, Surveyed } from "./rollout/survey.ts";

export type Counts = {
  readonly desired: number;
  /** Nodes that should run a pod and have one, in whatever state. */
  readonly current: number;
  readonly misscheduled: number;
  readonly ready: number;
  readonly updated: number;
  readonly available: number;
  /** Kruise counts only nodes that may get a pod now; these count every node that has one or should, lost ones included. */
  readonly scope: ScopeCount;
  /** By the places of the patches that apply: nodes, and of these those whose pod has them. */
  readonly classes: ReadonlyMap<string, ClassCount>;
  /** When the next pod becomes available by the mere passing of time. */
  readonly availableAtMs: number | undefined;
};

export type ScopeCount = { readonly nodes: number; readonly updated: number; readonly available: number };

export type ClassCount = { readonly nodes: number; readonly updated: number };

/** Counts a set's nodes. */
export function countNodes({ desired, others, set, resting, restless }: Surveyed, nowMs: number): Counts {
  const classes = new Map([...resting].map(([places, count]) => [places, classOf(count)]));
  const sum = sumOf([...resting.values()]);
  let availableAtMs: number | undefined;
  for (const view of restless) {
    const pods = livingPods(view);
    const { places } = view.placement;
    const classCount = classes.get(places) ?? { nodes: 0, updated: 0 };
    classes.set(places, classCount);
    classCount.nodes += 1;
    if (hasPod(view)) sum.current += 1;
    if (isUpdated(view)) {
      sum.updated += 1;
      classCount.updated += 1;
    }
    if (pods.some(({ readySinceMs }) => readySinceMs !== undefined)) sum.ready += 1;
    if (hasAvailable(view, set.minReadySeconds, nowMs)) sum.available += 1;
    else availableAtMs = soonest(availableAtMs, pods, set.minReadySeconds);
  }
  const misscheduled = others.filter((view) => hasPod(view) && !view.placement.shouldRun && !view.node.isLeaving);
  const carried = others.filter(isStillInScope);
  const scope = {
    nodes: desired.length + carried.length,
    updated: sum.updated + carried.filter(isUpdated).length,
    available: sum.available + carried.filter((view) => hasAvailable(view, set.minReadySeconds, nowMs)).length,
  };
  return { ...sum, desired: desired.length, misscheduled: misscheduled.length, scope, classes, availableAtMs };
}

function isUpdated({ current, old, placement }: NodeView): boolean {
  return current.length > 0 && old.length === 0 && placement.rendering.ok;
}

function hasAvailable(view: NodeView, minReadySeconds: number, nowMs: number): boolean {
  return livingPods(view).some((pod) => isAvailable(pod, minReadySeconds, nowMs));
}

function classOf({ fitted, outdated, pending }: RestCount) {
  return { nodes: fitted + outdated + pending, updated: fitted + pending };
}

/** The numbers of nodes at rest: each has one pod, and the pod serves unless it is pending. */
function sumOf(counts: readonly RestCount[]) {
  const total = (of: (count: RestCount) => number) => counts.reduce((sum, count) => sum + of(count), 0);
  const serving = total(({ fitted, outdated }) => fitted + outdated);
  const updated = total(({ fitted, pending }) => fitted + pending);
  const pending = total((count) => count.pending);
  return { current: serving + pending, ready: serving, updated, available: serving };
}

function hasPod({ current, old, ended, leaving }: NodeView): boolean {
  return current.length + old.length + ended.length + leaving.length > 0;
}

function soonest(known: number | undefined, pods: readonly DaemonPod[], minReadySeconds: number): number | undefined {
  const times = pods.flatMap((pod) => availableFromMs(pod, minReadySeconds) ?? []);
  return times.reduce((first: number | undefined, at) => Math.min(first ?? at, at), known);
}
