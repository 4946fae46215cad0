// The pod garbage collector of Kubernetes: removes the pods of nodes that are gone, and those that are to end before a node was found for
// them. The API server ends most of the latter by itself; whoever holds one by a finalizer waits for it to be over. Its limit on the number of
// finished pods (12,500) is left out, and so are nodes taken out of service by taint.
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Source } from "../../../src/runtime/queue/intake.ts";
import { NODES, PODS } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { deletePod, noteDisruption } from "../disrupt-pod.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { performWrites, type Write } from "../write.ts";

/** A node that has just gone may come back, or the picture may be old. */
const QUARANTINE_MS = 40_000;
const WORKERS = 4;
/** The key of all pods without a node; no node has it. */
const NOWHERE = "";
const DISRUPTION = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** Builds the collector; its keys are the names of nodes, and one for pods that have none. */
export const podGc: BuildModel = (context) => {
  const { pods, nodes } = context.caches;
  const missingSinceMs = new Map<string, number>();
  const isOrphaned = ({ nodeName }: PodView) => nodeName !== "" && nodes.get(nodeName) === undefined;
  const goneNodes: Source = {
    start: (offer) => nodes.changes(({ key, now }) => void (now === undefined && offer(key, false))),
  };
  const keysOf = (pod: PodView) => (isLost(pod) ? [NOWHERE] : isOrphaned(pod) ? [pod.nodeName] : []);
  return {
    sources: [cacheSource(pods, keysOf), goneNodes],
    reconcile: (nodeName, { signal }) =>
      nodeName === NOWHERE ? removeLost(context, signal) : removeOrphans(context, missingSinceMs, nodeName, signal),
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

/** No kubelet will ever say that it is over. */
function isLost({ nodeName, isTerminating }: PodView): boolean {
  return nodeName === "" && isTerminating;
}

async function removeLost({ caches, client }: ModelContext, signal: AbortSignal): Promise<undefined> {
  const lost = [...caches.pods.values()].filter(isLost);
  await performWrites(client, lost.filter((pod) => !isFinished(pod)).map(failed), signal);
  const deletes = lost.map((pod) => deletePod(pod, { isForced: true }));
  await performWrites(client, deletes, signal);
}

function failed({ key, uid }: PodView): Write {
  const body = { metadata: { uid }, status: { phase: "Failed" } };
  return { do: "patch", resource: PODS, key, patch: { type: "strategic", body }, subresource: "status" };
}
