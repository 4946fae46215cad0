// Takes all pods of a story away without asking their kubelets: between two contestants nobody has to be polite.
import type { Client } from "../../src/kube/client.ts";
import { NAMESPACE, pods } from "./resources.ts";

/** So many at once are deleted well within the server's limit for one request, however busy the machine is. */
const BATCH = 200;
const BATCHES_MAX = 1_000;
const BATCH_MS_MAX = 120_000;

/** Deletes every pod of the story's namespace; resolves when there is none. */
export async function removePods(client: Client): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const { items } = await client.listPage(pods, { namespace: NAMESPACE, pageSize: 1 });
    if (items.length === 0) return;
    await client.call({
      ...{ verb: "deletecollection", resource: "pods", method: "DELETE", repeatable: true, timeoutMs: BATCH_MS_MAX },
      path: `/api/v1/namespaces/${NAMESPACE}/pods?limit=${BATCH}`,
      body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 },
    });
  }
  throw new Error(`pods are left after ${BATCHES_MAX} batches of ${BATCH}; somebody makes new ones`);
}
