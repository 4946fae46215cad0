// The history of the embedded API server, kept as short as etcd keeps that of a cluster: a demo that runs for days must not grow.
import type { Clock } from "../../src/kube/clock.ts";
import type { ApiServer } from "../api-server/api-server.ts";

/** Watches that ask for something older than this, or than twice this, start over. */
export const HISTORY_MS = 300_000;

/** Forgets each period what was old at the end of the one before; the returned function ends that. */
export function compactRegularly(server: Pick<ApiServer, "revision" | "compact">, clock: Clock): () => void {
  const turn = (oldRevision: number) => {
    const revision = server.revision();
    server.compact(oldRevision);
    cancel = clock.after(HISTORY_MS, () => turn(revision));
  };
  const first = server.revision();
  let cancel = clock.after(HISTORY_MS, () => turn(first));
  return () => cancel();
}
