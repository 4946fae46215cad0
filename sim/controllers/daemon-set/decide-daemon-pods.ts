// Which daemon pods are missing and which must go, whatever the update strategy: the manage step of the DaemonSet controller.
import { matchDaemonEligibility } from "../../../src/core/scheduling/daemon-eligibility.ts";
import { parseIntOrPercent, scaled } from "../../../src/core/values/int-or-percent.ts";
import type { NodeView } from "../node-view.ts";
import { isAvailable, type PodView } from "../pod-view.ts";
import type { DaemonSetView } from "./daemon-set-view.ts";
import { HASH_LABEL } from "./revision-view.ts";

/** Everything that a decision about one DaemonSet reads. */
export type DaemonSetSight = {
  readonly set: DaemonSetView;
  readonly nodes: readonly NodeView[];
  /** The pods of the set by the node they are for; those that have ended and are being deleted are left out. */
  readonly podsByNode: ReadonlyMap<string, readonly PodView[]>;
  /** The hash of the current revision. */
  readonly hash: string;
  readonly nowMs: number;
  /** How long a failed pod of this node must still stay. */
  readonly failureWaitMs: (nodeName: string) => number;
};

export type PodMoves = {
  /** Nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly PodView[];
};

export type DaemonPodsDecision = PodMoves & {
  /** Nodes whose failed pod is removed; their next failure has to wait longer. */
  readonly failedOn: readonly string[];
  /** The next failed pod may be removed then. */
  readonly againInMs: number | undefined;
};

type Draft = { readonly create: string[]; readonly remove: PodView[]; readonly failedOn: string[]; waitMs: number[] };

export const TEMPLATE_GENERATION_LABEL = "pod-template-generation";

/** Decides for all nodes; unscheduled pods for nodes that are gone go too, because nobody else would remove them. */
export function decideDaemonPods(sight: DaemonSetSight): DaemonPodsDecision {
  const draft: Draft = { create: [], remove: [], failedOn: [], waitMs: [] };
  for (const node of sight.nodes) decideForNode(sight, node, draft);
  const known = new Set(sight.nodes.map(({ name }) => name));
  for (const [nodeName, pods] of sight.podsByNode) {
    if (!known.has(nodeName)) draft.remove.push(...pods.filter((pod) => pod.nodeName === ""));
  }
  const { create, remove, failedOn, waitMs } = draft;
  return { create, remove, failedOn, againInMs: waitMs.length === 0 ? undefined : Math.min(...waitMs) };
}

function decideForNode(sight: DaemonSetSight, node: NodeView, draft: Draft): void {
  const { set, podsByNode } = sight;
  const pods = podsByNode.get(node.name);
  const { shouldRun, shouldContinueRunning } = matchDaemonEligibility(set.eligibility, node);
  if (pods === undefined) {
    if (shouldRun) draft.create.push(node.name);
    return;
  }
  const living = pods.filter((pod) => !pod.isTerminating);
  if (!shouldContinueRunning) {
    draft.remove.push(...living);
    return;
  }
  removeEnded(sight, node, living, draft);
  const running = living.filter(({ phase }) => phase !== "Failed" && phase !== "Succeeded").sort(byAge);
  if (!allowsSurge(set)) {
    draft.remove.push(...running.slice(1));
    return;
  }
  if (running.length === 0 && shouldRun) draft.create.push(node.name);
  if (running.length > 1) draft.remove.push(...surplusOfSurge(sight, running));
}

function removeEnded(
  { failureWaitMs }: DaemonSetSight,
  node: NodeView,
  living: readonly PodView[],
  draft: Draft,
): void {
  for (const pod of living) {
    if (pod.phase === "Succeeded") draft.remove.push(pod);
    if (pod.phase !== "Failed") continue;
    const waitMs = failureWaitMs(node.name);
    if (waitMs > 0) {
      draft.waitMs.push(waitMs);
    } else {
      draft.remove.push(pod);
      draft.failedOn.push(node.name);
    }
  }
}

/** While surging a node keeps one pod of each kind, and the old one only as long as it is ready and the new one is not available. */
function surplusOfSurge({ set, hash, nowMs }: DaemonSetSight, running: readonly PodView[]): readonly PodView[] {
  const isNew = (pod: PodView) => pod.labels[HASH_LABEL] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const surplus = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return surplus;
  const isReplaced = !old.isReady || isAvailable(newest, set.minReadySeconds, nowMs);
  return isReplaced ? [...surplus, old] : surplus;
}

/** Scheduled pods first, then the oldest. */
export function byAge(a: PodView, b: PodView): number {
  const isBound = (pod: PodView) => (pod.nodeName === "" ? 1 : 0);
  return isBound(a) - isBound(b) || a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1);
}

/** True when the pod was made from the present template. */
export function isUpdated(pod: PodView, set: DaemonSetView, hash: string): boolean {
  const generation = set.templateGeneration;
  return pod.labels[HASH_LABEL] === hash || (generation !== "" && pod.labels[TEMPLATE_GENERATION_LABEL] === generation);
}

function allowsSurge({ isRolling, maxSurge }: DaemonSetView): boolean {
  const surge = parseIntOrPercent(maxSurge, "maxSurge");
  return isRolling && surge.ok && scaled(surge.value, 100, "up") > 0;
}
