// A new leader must see what the last one did before it decides anything: a pod of another revision has another name, so a leader with
// an old picture would make a twin that no AlreadyExists prevents.
//
// Guarantees: when it resolves, the cache has seen everything that was written before it was called.

import type { Cache } from "../../kube/cache/cache.ts";
import type { AnyResource } from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import { type Clock, pause } from "../../kube/clock.ts";

/** A cache that can be made to list anew while it runs. */
export type RestartableCache = {
  readonly resource: AnyResource;
  readonly cache: Pick<Cache<unknown, never>, "synced" | "observed" | "run">;
  /** Lists anew, into the same store; does nothing while the cache does not run. */
  restart(): void;
};

export type CatchUpPorts = { readonly client: Pick<Client, "listPage">; readonly clock: Clock };

/** Where things happen, a watch brings a newer version at once. Where nothing does, a list is cheap and the next bookmark far away. */
const PATIENCE_MS = 1_000;
/** Between two attempts to ask the server where it stands. */
const RETRY_MS = 1_000;

/** Resolves when the cache is as new as the cluster was at the call; rejects with the signal's reason. */
export async function catchUp(caught: RestartableCache, ports: CatchUpPorts, signal: AbortSignal): Promise<void> {
  const version = await currentVersion(caught, ports, signal);
  const isSeen = caught.cache.observed(version, signal);
  const cancel = ports.clock.after(PATIENCE_MS, () => caught.restart());
  try {
    await isSeen;
  } finally {
    cancel();
  }
}

/** A list without a version is a quorum read: no server answers it from an old picture. */
async function currentVersion(
  { resource }: RestartableCache,
  ports: CatchUpPorts,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      return (await ports.client.listPage(resource, { pageSize: 1, signal })).resourceVersion;
    } catch {
      // The cache of this resource has the same trouble and says so.
      await pause(ports.clock, RETRY_MS, signal);
    }
  }
}

/** Makes a cache restartable: `run` it in place of the cache itself. */
export function restartable(
  resource: AnyResource,
  cache: RestartableCache["cache"],
): RestartableCache & { readonly run: (signal: AbortSignal) => Promise<void> } {
  let life: AbortController | undefined;
  return {
    ...{ resource, cache },
    restart: () => life?.abort(new Error("the cache lists anew")),
    async run(signal) {
      const end = () => life?.abort(signal.reason);
      signal.addEventListener("abort", end, { once: true });
      do {
        life = new AbortController();
        if (signal.aborted) end();
        await cache.run(life.signal);
      } while (!signal.aborted);
    },
  };
}
