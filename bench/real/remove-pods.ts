// Takes all pods of a story away without asking their kubelets: between two contestants nobody has to be polite.
import type { Client } from "../../src/kube/client/client.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { NAMESPACE, pods } from "./resources.ts";

/** So many at once are deleted within the server's limit for one request, unless the machine is very busy. */
const BATCH = 100;
const BATCHES_MAX = 1_000;
const BATCH_MS_MAX = 120_000;

/** Deletes every pod of the story's namespace; resolves when there is none. */
export async function removePods(client: Client): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const { items } = await client.listPage(pods, { namespace: NAMESPACE, pageSize: 1 });
    if (items.length === 0) return;
    await removeBatch(client);
  }
  throw new Error(`pods are left after ${BATCHES_MAX} batches of ${BATCH}; somebody makes new ones`);
}

async function removeBatch(client: Client): Promise<void> {
  try {
    await client.call({
      ...{ verb: "deletecollection", resource: "pods", method: "DELETE", repeatable: true, timeoutMs: BATCH_MS_MAX },
      path: `/api/v1/namespaces/${NAMESPACE}/pods?limit=${BATCH}`,
      body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 },
    });
  } catch (error) {
    // A server that is too slow ends the connection in the middle; what is left is seen by the next list.
    if (!(error instanceof TransportError)) throw error;
  }
}
