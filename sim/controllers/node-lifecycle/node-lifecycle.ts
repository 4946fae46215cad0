// The node lifecycle controller and the taint eviction controller of Kubernetes: nodes whose kubelet falls silent become
// Unknown, conditions become taints, and pods that do not tolerate a NoExecute taint are deleted.

import { timestamp } from "../../../src/core/decision/conditions.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Run } from "../../../src/runtime/queue/controller.ts";
import { textAt } from "../../api-server/api-object.ts";
import { NODES, PODS } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { deletePod, noteDisruption } from "../disrupt-pod.ts";
import { changesPlacement, type NodeView } from "../node-view.ts";
import { timeMs } from "../object-view.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { performWrites, type Write } from "../write.ts";
import { evictionMs, type TimedTaint } from "./decide-evictions.ts";
import { decideTaints, silentConditions } from "./decide-node-health.ts";

/** A lease of a node bears its name; its times are not believed, only its change. */
const LEASE_NAMESPACE = "kube-node-lease";
const WORKERS = 16;
const SPACING_MS = 50;
const EVICTION = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

/** Builds the controller. */
export const nodeLifecycle: BuildModel = (context) => {
  const work = new NodeLifecycle(context);
  const { nodes, pods } = context.caches;
  const isEvicting = (name: string) => nodes.get(name)?.taints.some(({ effect }) => effect === "NoExecute") === true;
  const isMoved = (was: PodView | undefined, now: PodView | undefined) => was?.nodeName !== now?.nodeName;
  return {
    sources: [
      cacheSource(nodes, ({ name }) => [name], { isWorthALook: isNews }),
      cacheSource(pods, ({ nodeName }) => (isEvicting(nodeName) ? [nodeName] : []), { isWorthALook: isMoved }),
    ],
    reconcile: (name, run) => work.lookAfter(name, run),
    ...{ workers: WORKERS, spacingMs: SPACING_MS },
  };
};

class NodeLifecycle {
  readonly #context: ModelContext;
  /** When each node was last heard of, on our own clock. */
  readonly #heardMs = new Map<string, number>();
  /** Since when we know of taints that do not say so themselves. */
  readonly #taintsSeenMs = new Map<string, Map<string, number>>();

  constructor(context: ModelContext) {
    this.#context = context;
    const { leases, nodes } = context.caches;
    const hear = (name: string) => this.#heardMs.set(name, context.clock.monotonicMs());
    leases.changes(({ now }) => void (now?.namespace === LEASE_NAMESPACE && hear(now.name)));
    nodes.changes(({ key, was, now }) => {
      if (now === undefined) this.#forget(key);
      else if (was === undefined || heartbeatOf(was) !== heartbeatOf(now)) hear(key);
    });
  }

  #forget(name: string): void {
    this.#heardMs.delete(name);
    this.#taintsSeenMs.delete(name);
  }

  async lookAfter(name: string, { signal }: Run): Promise<{ readonly againInMs: number } | undefined> {
    const { client, caches, clock } = this.#context;
    const node = caches.nodes.get(name);
    if (node === undefined) return undefined;
    const nowMs = clock.wallMs();
    const leftMs = this.#patienceMs(name);
    const silent = leftMs > 0 ? undefined : silentConditions(node, nowMs);
    if (silent !== undefined) await performWrites(client, this.#writesForSilence(node, silent, nowMs), signal);
    const taints = decideTaints(node, nowMs);
    if (taints !== undefined) await performWrites(client, [taintWrite(node, taints)], signal);
    const nextEvictionMs = await this.#evict(node, nowMs, signal);
    const times = [...(leftMs > 0 ? [leftMs] : []), ...(nextEvictionMs === undefined ? [] : [nextEvictionMs])];
    return times.length === 0 ? undefined : { againInMs: Math.min(...times) };
  }

  /** How much longer the node may be silent. */
  #patienceMs(name: string): number {
    const { clock, nodeGraceSeconds } = this.#context;
    const heardMs = this.#heardMs.get(name) ?? clock.monotonicMs();
    this.#heardMs.set(name, heardMs);
    return heardMs + nodeGraceSeconds * 1000 - clock.monotonicMs();
  }

  #writesForSilence(node: NodeView, conditions: readonly object[], nowMs: number): readonly Write[] {
    // The version makes sure that what the kubelet may have said meanwhile is not overwritten.
    const body = { metadata: { uid: node.uid, resourceVersion: node.resourceVersion }, status: { conditions } };
    const patch = { type: "merge", body } as const;
    const pods = [...this.#context.caches.pods.by("node", node.name)].filter(({ isReady }) => isReady);
    const marks = pods.map((pod) => markUnready(pod, nowMs));
    return [{ do: "patch", resource: NODES, key: node.key, patch, subresource: "status" }, ...marks];
  }

  /** Deletes the pods whose time is over; answers when the next one's is. */
  async #evict(node: NodeView, nowMs: number, signal: AbortSignal): Promise<number | undefined> {
    const { client, caches } = this.#context;
    const taints = this.#timed(node, nowMs);
    if (taints.length === 0) return undefined;
    const due: PodView[] = [];
    let nextInMs: number | undefined;
    for (const pod of caches.pods.by("node", node.name)) {
      if (pod.isTerminating || isFinished(pod)) continue;
      const atMs = evictionMs(pod, taints, nowMs);
      if (atMs === undefined) continue;
      if (atMs <= nowMs) due.push(pod);
      else nextInMs = Math.min(nextInMs ?? Infinity, atMs - nowMs);
    }
    const notes = due.map((pod) => noteDisruption(pod, EVICTION, nowMs));
    await performWrites(client, notes, signal);
    const deletes = due.map((pod) => deletePod(pod, { isForced: false }));
    await performWrites(client, deletes, signal);
    return nextInMs;
  }

  #timed(node: NodeView, nowMs: number): readonly TimedTaint[] {
    const evicting = node.storedTaints.filter(({ effect }) => effect === "NoExecute");
    const seen = this.#taintsSeenMs.get(node.name) ?? new Map<string, number>();
    this.#taintsSeenMs.set(node.name, seen);
    return evicting.map((taint) => {
      const id = `${textAt(taint, "key")}=${textAt(taint, "value")}`;
      const addedMs = timeMs(textAt(taint, "timeAdded") || undefined);
      const sinceMs = addedMs > 0 ? addedMs : (seen.get(id) ?? nowMs);
      seen.set(id, sinceMs);
      return { taint, sinceMs };
    });
  }
}

/** The version makes sure that no taint which somebody else has just set is lost. */
function taintWrite({ key, uid, resourceVersion }: NodeView, taints: readonly object[]): Write {
  const body = { metadata: { uid, resourceVersion }, spec: { taints } };
  return { do: "patch", resource: NODES, key, patch: { type: "merge", body } };
}

function markUnready({ key, uid }: PodView, nowMs: number): Write {
  const condition = { type: "Ready", status: "False", lastTransitionTime: timestamp(nowMs) };
  const body = { metadata: { uid }, status: { conditions: [condition] } };
  return { do: "patch", resource: PODS, key, patch: { type: "strategic", body }, subresource: "status" };
}

function heartbeatOf({ conditions }: NodeView): string {
  return conditions.map((each) => textAt(each, "lastHeartbeatTime")).join();
}

/** Heartbeats alone are no news. */
function isNews(was: NodeView | undefined, now: NodeView | undefined): boolean {
  if (was === undefined || now === undefined) return true;
  const statuses = ({ conditions }: NodeView) => conditions.map(({ type, status }) => `${type}=${status}`).join();
  return changesPlacement(was, now) || statuses(was) !== statuses(now);
}
