// Gives each namespace the service account that pods have when they name none.
import { isAlreadyExists } from "../../../src/kube/client/api-error.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import { SERVICE_ACCOUNTS } from "../api-resources.ts";
import type { BuildModel } from "../controller-model.ts";
import { performWrites } from "../write.ts";

const NAME = "default";
const WORKERS = 4;

/** Builds the controller; its keys are namespaces. */
export const serviceAccountController: BuildModel = ({ caches, client }) => {
  const { namespaces, serviceAccounts } = caches;
  return {
    sources: [
      cacheSource(namespaces, ({ name }) => [name]),
      cacheSource(serviceAccounts, ({ name, namespace }) => (name === NAME ? [namespace] : [])),
    ],
    reconcile: async (namespace, { signal }) => {
      const isThere = serviceAccounts.get(`${namespace}/${NAME}`) !== undefined;
      const isActive = namespaces.get(namespace)?.isTerminating === false;
      if (isThere || !isActive) return undefined;
      const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } };
      await performWrites(client, [{ do: "create", resource: SERVICE_ACCOUNTS, object }], signal).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
      return undefined;
    },
    ...{ workers: WORKERS, spacingMs: 0 },
  };
};
