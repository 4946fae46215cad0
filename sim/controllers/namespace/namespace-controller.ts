// The namespace controller: removes everything in a namespace that ends, pods first, then gives the namespace itself free.
// Its status says what is left and which finalizers hold it.
import { objectPath, type Resource } from "../../../src/kube/resource.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Run } from "../../../src/runtime/queue/controller.ts";
import { type ApiObject, NAMESPACES, PODS } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { discoverAll } from "../discover-all.ts";
import { parseObjectView } from "../object-view.ts";
import { onlyOf, performWrites, type Write } from "../write.ts";
import { decideConditions, type Remains } from "./namespace-conditions.ts";
import { type NamespaceView, parseNamespace } from "./namespace-view.ts";

const HOLD = "kubernetes";
const WORKERS = 4;
/** Between two looks at what is left; the real controller waits for half of the pods' grace period. */
const RECHECK_MS = 2_000;

type Again = { readonly againInMs: number } | undefined;

/** Builds the controller. */
export const namespaceController: BuildModel = (context) => ({
  sources: [cacheSource(context.caches.namespaces, (namespace) => (isEnding(namespace) ? [namespace.name] : []))],
  reconcile: (name, run) => endNamespace(context, name, run),
  ...{ workers: WORKERS, spacingMs: 0 },
});

function isEnding({ isTerminating, holds }: NamespaceView): boolean {
  return isTerminating && holds.includes(HOLD);
}

async function endNamespace({ caches, client, clock }: ModelContext, name: string, { signal }: Run): Promise<Again> {
  const cached = caches.namespaces.get(name);
  const live = cached === undefined || !isEnding(cached) ? undefined : await client.get(NAMESPACES, name, { signal });
  const namespace = live === undefined ? undefined : parseNamespace(live);
  if (live === undefined || namespace === undefined || !isEnding(namespace)) return undefined;
  const { remains, failure, isAwaitingPods } = await empty(client, name, signal);
  // Of pods on their way out the real controller says nothing yet.
  const told = isAwaitingPods ? [] : remains;
  const conditions = decideConditions(namespace.conditions, told, failure?.message, clock.wallMs());
  if (conditions !== undefined) {
    const patch = onlyOf(namespace, { status: { conditions } });
    await performWrites(
      client,
      [{ do: "patch", resource: NAMESPACES, key: name, patch, subresource: "status" }],
      signal,
    );
  }
  if (failure !== undefined) throw failure;
  if (remains.some(({ objects }) => objects.length > 0)) return { againInMs: RECHECK_MS };
  const finalizers = namespace.holds.filter((hold) => hold !== HOLD);
  // Conditions have just been written, so the version that was read is old; the list of holds is ours to set whole.
  await client.call({
    ...{ verb: "update", resource: "namespaces/finalize", method: "PUT", repeatable: true, signal },
    path: objectPath(NAMESPACES, name, "finalize"),
    body: { ...live, metadata: { ...live.metadata, resourceVersion: undefined }, spec: { ...live.spec, finalizers } },
  });
  return undefined;
}

type Emptied = {
  readonly remains: readonly Remains[];
  readonly failure: Error | undefined;
  readonly isAwaitingPods: boolean;
};

/** Deletes what is there; other objects only when all pods are gone, because pods may need them to end well. */
async function empty(client: ModelContext["client"], namespace: string, signal: AbortSignal): Promise<Emptied> {
  const pods = await emptyOne(client, PODS, namespace, signal);
  if (pods.objects.length > 0) return { remains: [pods], failure: undefined, isAwaitingPods: true };
  const remains: Remains[] = [];
  let failure: Error | undefined;
  for (const resource of await discoverAll(client, signal)) {
    if (!resource.namespaced) continue;
    try {
      remains.push(await emptyOne(client, resource, namespace, signal));
    } catch (error) {
      // One resource that cannot be emptied keeps the namespace, but not the content of the others.
      failure = error instanceof Error ? error : new Error(String(error));
    }
  }
  return { remains, failure, isAwaitingPods: false };
}

async function emptyOne(
  client: ModelContext["client"],
  resource: Resource<ApiObject>,
  namespace: string,
  signal: AbortSignal,
): Promise<Remains> {
  const list = async () => (await client.list(resource, { namespace, signal })).items.map(parseObjectView);
  const found = await list();
  if (found.length === 0) return { resource, objects: [] };
  const options = { propagation: "Background" } as const;
  const deletes = found
    .filter(({ isTerminating }) => !isTerminating)
    .map(({ key, uid }): Write => ({ do: "delete", resource, key, uid, options }));
  await performWrites(client, deletes, signal);
  return { resource, objects: await list() };
}
