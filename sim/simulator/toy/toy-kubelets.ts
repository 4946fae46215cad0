// The least that pods need from the machines below them: they become ready, and end when they are told to. The full model of a
// kubelet is in sim/nodes; the toy does without it, so that a history costs little.
import { isConflict, isNotFound } from "../../../src/kube/api-error.ts";
import { createCache } from "../../../src/kube/cache.ts";
import { createClient } from "../../../src/kube/create-client.ts";
import { cacheSource } from "../../../src/runtime/cache-source.ts";
import { Controller, type Reconcile } from "../../../src/runtime/controller.ts";
import { QUEUE_LIMITS } from "../../../src/runtime/queue.ts";
import type { Ports } from "../ports.ts";
import { nodes, pods, viewNode, viewPod } from "./toy-view.ts";

/** A pod whose node is gone for so long is removed, as pod garbage collection does. */
const ORPHANED_MS = 10_000;
const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };

/** Runs the machines of all nodes. */
export function startToyKubelets(ports: Ports): void {
  const { signal } = new AbortController();
  const client = createClient({ ...ports, fieldManager: "kubelet" });
  const podCache = createCache({ ...ports, resource: pods, project: viewPod, indexes: {} });
  const nodeCache = createCache({ ...ports, resource: nodes, project: viewNode, indexes: {} });
  const goneSinceMs = new Map<string, number>();
  const isOrphaned = (name: string) => {
    const nowMs = ports.clock.monotonicMs();
    if (nodeCache.get(name) !== undefined) goneSinceMs.delete(name);
    else if (!goneSinceMs.has(name)) goneSinceMs.set(name, nowMs);
    return nowMs - (goneSinceMs.get(name) ?? nowMs) >= ORPHANED_MS;
  };
  const reconcile: Reconcile = async (key) => {
    const pod = podCache.get(key);
    if (pod === undefined) return undefined;
    const ends = isOrphaned(pod.nodeName) || (pod.isEnding && nodeCache.get(pod.nodeName) !== undefined);
    if (ends) await client.remove(pods, key, { uid: pod.uid, gracePeriodSeconds: 0 }).catch(unlessPast);
    else if (!pod.isReady)
      await client
        .patch(pods, key, { type: "merge", body: { metadata: { uid: pod.uid }, ...ready } }, { subresource: "status" })
        .catch(unlessPast);
    return nodeCache.get(pod.nodeName) === undefined ? { againInMs: ORPHANED_MS / 2 } : undefined;
  };
  const controller = new Controller(
    {
      ...{ name: "toy-kubelets", reconcile, workers: 4, timeoutMs: 60_000 },
      sources: [cacheSource(podCache, ({ key }) => [key])],
      queue: { ...QUEUE_LIMITS, backOff: { baseMs: 100, maxMs: 10_000 } },
    },
    ports,
  );
  for (const cache of [podCache, nodeCache]) void cache.run(signal);
  void Promise.all([podCache.synced, nodeCache.synced]).then(() => controller.start());
}

function unlessPast(error: unknown): undefined {
  if (isConflict(error) || isNotFound(error)) return undefined;
  throw error;
}
