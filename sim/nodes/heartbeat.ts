// How often the nodes of a fleet say that they live.

export type Heartbeat = { readonly everyMs: number; readonly graceSeconds: number };

/** What real kubelets do. */
const HEARTBEAT_MS = 10_000;
const RENEWALS_PER_SECOND_MAX = 25;
/** A kubelet may miss this many renewals before its node counts as lost. */
const MISSED_MAX = 4;

/** How often the nodes of a fleet renew their leases, so that the API server is not kept busy by heartbeats alone. */
export function heartbeatFor(nodeCount: number): Heartbeat {
  const everyMs = Math.max(HEARTBEAT_MS, Math.ceil((nodeCount / RENEWALS_PER_SECOND_MAX) * 1000));
  return { everyMs, graceSeconds: Math.ceil((everyMs * MISSED_MAX) / 1000) };
}
