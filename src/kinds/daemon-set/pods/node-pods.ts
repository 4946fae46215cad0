// The pods of one node, sorted by what they mean for it.

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import { availableFromMs, type DaemonPod, hasEnded } from "../../../core/pod/daemon-pod.ts";
import type { Placement } from "../resolve.ts";
import type { Rest } from "../rollout/rest.ts";
import { isPreparingDelete } from "./lifecycle.ts";
import { type Standing, type StandingRule, standingOf } from "./standing.ts";

export type NodePods = {
  /** Pods that live and are what the node should run, the one to keep first. */
  readonly current: readonly DaemonPod[];
  /** Pods that live and are something else, the one to keep first. */
  readonly old: readonly DaemonPod[];
  /** Pods that have ended, the youngest first, whether or not they are being deleted. */
  readonly ended: readonly DaemonPod[];
  /** Pods that are being deleted and have not ended yet. */
  readonly leaving: readonly DaemonPod[];
  /** Of the current and of the old one to keep. */
  readonly currentStanding: Standing;
  readonly oldStanding: Standing;
};

/** One node as decisions see it. */
export type NodeView = NodePods & {
  readonly node: NodeFacts;
  readonly placement: Placement;
  /** Undefined for a node that has to be looked at in every decision. */
  readonly rest: Rest | undefined;
};

const NONE: readonly DaemonPod[] = Object.freeze([]);
const NO_PODS: NodePods = Object.freeze({
  current: NONE,
  old: NONE,
  ended: NONE,
  leaving: NONE,
  currentStanding: "current",
  oldStanding: "outdated",
});

/** Sorts the pods of a node. Where nothing can be rendered, whatever lives is taken for current: nothing better is known. */
export function sortPods(pods: readonly DaemonPod[] | undefined, placement: Placement, rule: StandingRule): NodePods {
  if (pods === undefined || pods.length === 0) return NO_PODS;
  const current: DaemonPod[] = [];
  const old: DaemonPod[] = [];
  const ended: DaemonPod[] = [];
  const leaving: DaemonPod[] = [];
  for (const pod of pods) {
    if (hasEnded(pod)) ended.push(pod);
    else if (pod.isLeaving) leaving.push(pod);
    else (isCurrent(standingOn(pod, placement, rule)) && !mustGo(pod) ? current : old).push(pod);
  }
  // None of these was asked to go.
  const [pod] = current.sort(byService);
  const [predecessor] = old.sort(byClaim);
  ended.sort((a, b) => byService(b, a));
  return {
    ...{ current, old, ended, leaving },
    currentStanding: pod === undefined ? "current" : standingOn(pod, placement, rule),
    oldStanding: predecessor === undefined ? "outdated" : standingOn(predecessor, placement, rule),
  };
}

/** All pods of a node. */
export function podsOn({ current, old, ended, leaving }: NodePods): readonly DaemonPod[] {
  return [...current, ...old, ...ended, ...leaving];
}

/** The pods of a node that have not ended and are not being deleted. */
export function livingPods({ current, old }: NodePods): readonly DaemonPod[] {
  if (old.length === 0) return current;
  return current.length === 0 ? old : [...current, ...old];
}

/** How a pod stands to what its node should run. */
export function standingOn(pod: DaemonPod, { rendering }: Placement, rule: StandingRule): Standing {
  return rendering.ok ? standingOf(pod, rendering.value, rule) : "current";
}

/** Whatever it is, another pod has to take its place: it got resources that its node does not have, or was asked to go, from which there is no way back. */
function mustGo(pod: DaemonPod): boolean {
  return pod.resizePending === "Infeasible" || isPreparingDelete(pod);
}

function isCurrent(standing: Standing): boolean {
  return standing === "current" || standing === "mislabelled";
}

/** Whether the pod serves now: ready, and for long enough. */
export function isAvailable(pod: DaemonPod, minReadySeconds: number, nowMs: number): boolean {
  const fromMs = availableFromMs(pod, minReadySeconds);
  return fromMs !== undefined && fromMs <= nowMs;
}

/** One that was asked to go comes last: whoever kept it would lose it, and the other one besides. */
function byClaim(a: DaemonPod, b: DaemonPod): number {
  if (isPreparingDelete(a) !== isPreparingDelete(b)) return isPreparingDelete(a) ? 1 : -1;
  return byService(a, b);
}

/** Ready pods first; then bound ones, the oldest, and by name, which is the order in which Kubernetes keeps pods of a node. */
function byService(a: DaemonPod, b: DaemonPod): number {
  const isReady = ({ readySinceMs }: DaemonPod) => readySinceMs !== undefined;
  if (isReady(a) !== isReady(b)) return isReady(a) ? -1 : 1;
  if (a.isBound !== b.isBound) return a.isBound ? -1 : 1;
  const age = (a.createdMs ?? Number.POSITIVE_INFINITY) - (b.createdMs ?? Number.POSITIVE_INFINITY);
  if (age < 0 || age > 0) return age;
  return a.name < b.name ? -1 : 1;
}
