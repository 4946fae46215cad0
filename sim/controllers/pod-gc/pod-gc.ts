// The pod garbage collector of Kubernetes: removes the pods of nodes that are gone. Its limit on the number of finished pods (12,500) is
// left out, and so are nodes taken out of service by taint.
import { cacheSource } from "../../../src/runtime/cache-source.ts";
import type { Source } from "../../../src/runtime/intake.ts";
import { NODES } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { deletePod, noteDisruption } from "../disrupt-pod.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { performWrites } from "../write.ts";

/** A node that has just gone may come back, or the picture may be old. */
const QUARANTINE_MS = 40_000;
const WORKERS = 4;
const DISRUPTION = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** Builds the collector; its keys are node names. */
export const podGc: BuildModel = (context) => {
  const { pods, nodes } = context.caches;
  const missingSinceMs = new Map<string, number>();
  const isOrphaned = ({ nodeName }: PodView) => nodeName !== "" && nodes.get(nodeName) === undefined;
  const goneNodes: Source = {
    start: (offer) => nodes.changes(({ key, now }) => void (now === undefined && offer(key, false))),
  };
  return {
    sources: [cacheSource(pods, (pod) => (isOrphaned(pod) ? [pod.nodeName] : [])), goneNodes],
    reconcile: (nodeName, { signal }) => removeOrphans(context, missingSinceMs, nodeName, signal),
    ...{ workers: WORKERS, spacingMs: 0 },
  };
};

async function removeOrphans(
  { caches, client, clock }: ModelContext,
  missingSinceMs: Map<string, number>,
  nodeName: string,
  signal: AbortSignal,
): Promise<{ readonly againInMs: number } | undefined> {
  const orphans = [...caches.pods.by("node", nodeName)];
  if (orphans.length === 0 || caches.nodes.get(nodeName) !== undefined) {
    missingSinceMs.delete(nodeName);
    return undefined;
  }
  const sinceMs = missingSinceMs.get(nodeName) ?? clock.monotonicMs();
  missingSinceMs.set(nodeName, sinceMs);
  const leftMs = sinceMs + QUARANTINE_MS - clock.monotonicMs();
  if (leftMs > 0) return { againInMs: leftMs };
  // The cache may be wrong; deleting a living pod for that could not be made good.
  if ((await client.get(NODES, nodeName, { signal })) !== undefined) return { againInMs: QUARANTINE_MS };
  const notes = orphans
    .filter((pod) => !isFinished(pod))
    .map((pod) => noteDisruption(pod, { ...DISRUPTION, phase: "Failed" }, clock.wallMs()));
  await performWrites(client, notes, signal);
  const deletes = orphans.map((pod) => deletePod(pod, { isForced: true }));
  await performWrites(client, deletes, signal);
  return undefined;
}
