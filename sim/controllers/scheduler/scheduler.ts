// The scheduler: gives each pod that asks for it a node, through the binding subresource, or says in its status why it cannot.
// Pods that found none are looked at again when a node appears or changes.

import { timestamp } from "../../../src/core/decision/conditions.ts";
import { isConflict, isNotFound } from "../../../src/kube/client/api-error.ts";
import { objectPath } from "../../../src/kube/resource.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Source } from "../../../src/runtime/queue/intake.ts";
import { listAt, textAt } from "../../api-server/api-object.ts";
import { PODS } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { changesPlacement, type NodeView } from "../node-view.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { aboutPod } from "../tell.ts";
import { performWrites, type Write } from "../write.ts";
import { decideBinding, type Fleet } from "./decide-binding.ts";

const SCHEDULER = "default-scheduler";
const WORKERS = 16;

/** Builds the scheduler. */
export const scheduler: BuildModel = (context) => {
  const work = new Scheduler(context);
  const { pods, nodes } = context.caches;
  const wants = (pod: PodView) => (isWaiting(pod) ? [pod.key] : []);
  const newNodes: Source = {
    start: (offer) =>
      nodes.changes(({ was, now }) => {
        if (changesPlacement(was, now)) for (const key of work.takeUnplaced()) offer(key, false);
      }),
  };
  return {
    sources: [cacheSource(pods, wants), newNodes],
    reconcile: (key, { signal }) => work.schedule(key, signal),
    ...{ workers: WORKERS, spacingMs: 0 },
  };
};

class Scheduler {
  readonly #context: ModelContext;
  /** The nodes of pods bound a moment ago, which the cache does not show there yet, and how many each node has of them. */
  readonly #assumed = new Map<string, string>();
  readonly #assumedLoad = new Map<string, number>();
  /** Pods that no node would take. */
  readonly #unplaced = new Set<string>();

  constructor(context: ModelContext) {
    this.#context = context;
    context.caches.pods.changes(({ was, now }) => {
      const pod = now ?? was;
      if (pod !== undefined && (now === undefined || now.nodeName !== "")) this.#settle(pod);
    });
  }

  takeUnplaced(): readonly string[] {
    const keys = [...this.#unplaced].sort();
    this.#unplaced.clear();
    return keys;
  }

  async schedule(key: string, signal: AbortSignal): Promise<undefined> {
    const pod = this.#context.caches.pods.get(key);
    if (pod === undefined || !isWaiting(pod)) return;
    const binding = decideBinding(pod.placement, this.#fleetFor(pod));
    if (binding.isFound) {
      await this.#bind(pod, binding.nodeName, signal);
      return;
    }
    this.#unplaced.add(key);
    const { because } = binding;
    this.#context.tell(aboutPod(pod, { type: "Warning", reason: "FailedScheduling", message: because }));
    await performWrites(this.#context.client, conditionWrites(pod, because, this.#context.clock.wallMs()), signal);
  }

  /** A pod that names its node is held against that one alone: a fleet of daemons costs one look per pod. */
  #fleetFor({ targetNode }: PodView): Fleet {
    const { nodes } = this.#context.caches;
    const load = (name: string) => this.#load(name);
    if (targetNode === "") return { nodes: nodes.values(), size: nodes.size, load };
    const node = nodes.get(targetNode);
    const named: readonly NodeView[] = node === undefined ? [] : [node];
    return { nodes: named, size: nodes.size, load };
  }

  #load(nodeName: string): number {
    return this.#context.caches.pods.count("node", nodeName) + (this.#assumedLoad.get(nodeName) ?? 0);
  }

  async #bind(pod: PodView, nodeName: string, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid, key } = pod;
    this.#assume(uid, nodeName);
    try {
      await this.#context.client.call({
        ...{ verb: "create", resource: "pods/binding", method: "POST", path: objectPath(PODS, key, "binding") },
        body: {
          ...{ apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid } },
          target: { apiVersion: "v1", kind: "Node", name: nodeName },
        },
        ...{ repeatable: true, signal },
      });
      const message = `Successfully assigned ${key} to ${nodeName}`;
      this.#context.tell(aboutPod(pod, { type: "Normal", reason: "Scheduled", message }));
    } catch (error) {
      this.#settle(pod);
      // Bound by somebody else, or gone, or another pod of this name: nothing to do here.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #assume(uid: string, nodeName: string): void {
    this.#assumed.set(uid, nodeName);
    this.#assumedLoad.set(nodeName, (this.#assumedLoad.get(nodeName) ?? 0) + 1);
  }

  #settle({ uid, key }: PodView): void {
    this.#unplaced.delete(key);
    const nodeName = this.#assumed.get(uid);
    if (nodeName === undefined) return;
    this.#assumed.delete(uid);
    const left = (this.#assumedLoad.get(nodeName) ?? 0) - 1;
    if (left > 0) this.#assumedLoad.set(nodeName, left);
    else this.#assumedLoad.delete(nodeName);
  }
}

function isWaiting(pod: PodView): boolean {
  const isOurs = (textAt(pod.placement, "schedulerName") || SCHEDULER) === SCHEDULER;
  const isGated = listAt(pod.placement, "schedulingGates").length > 0;
  return isOurs && pod.nodeName === "" && !pod.isTerminating && !isFinished(pod) && !isGated;
}

function conditionWrites(pod: PodView, because: string, nowMs: number): readonly Write[] {
  const told = pod.conditions.find(({ type }) => type === "PodScheduled");
  if (told?.status === "False" && told.message === because) return [];
  const since = told?.status === "False" ? textAt(told, "lastTransitionTime") : timestamp(nowMs);
  const condition = {
    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: because },
    lastTransitionTime: since,
  };
  const body = { metadata: { uid: pod.uid }, status: { conditions: [condition] } };
  return [{ do: "patch", resource: PODS, key: pod.key, patch: { type: "strategic", body }, subresource: "status" }];
}
