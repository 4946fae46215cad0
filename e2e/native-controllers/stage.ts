// Where a scenario is played: a namespace and some machines of a cluster, real or embedded. The script sees the same stage both
// times; how time passes is the stage's affair.
import type { ApiObject } from "../../sim/controllers/api-resources.ts";
import { PODS } from "../../sim/controllers/api-resources.ts";
import type { Kubelets } from "../../sim/nodes/kubelets.ts";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import { createCache } from "../../src/kube/cache/cache.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Transport } from "../../src/kube/transport.ts";

export type Stage = {
  readonly client: Client;
  readonly kubelets: Kubelets;
  /** The scenario's own namespace; also the value of the label `scenario` on its machines. */
  readonly namespace: string;
  /** Waits until the probe says yes; rejects after long. */
  until(what: string, probe: () => Promise<boolean>): Promise<void>;
};

export type PodCounts = { readonly created: number; readonly deleted: number };

/** Counts the pods of a namespace as they come and go. */
export async function countPods(
  ports: { readonly transport: Transport; readonly clock: Clock; readonly rand: Rand },
  namespace: string,
  signal: AbortSignal,
): Promise<() => PodCounts> {
  let [created, deleted] = [0, 0];
  const cache = createCache({ ...ports, resource: PODS, namespace, indexes: {}, project: () => true });
  cache.changes(({ was, now }) => {
    if (was === undefined) created += 1;
    if (now === undefined) deleted += 1;
  });
  void cache.run(signal);
  await cache.synced;
  return () => ({ created, deleted });
}

/** A machine of the scenario. */
export function aMachine(
  stage: Pick<Stage, "namespace">,
  place: number,
  wish: Partial<Pick<MachineSpec, "labels" | "taints">> = {},
): MachineSpec {
  return {
    ...{
      name: `${stage.namespace}-${place}`,
      kernel: "6.8.0-45-generic",
      osImage: "Ubuntu 24.04.1 LTS",
      arch: "amd64",
    },
    labels: { scenario: stage.namespace, ...wish.labels },
    taints: wish.taints ?? [],
  };
}

/** The first `count` machines. */
export function machines(stage: Pick<Stage, "namespace">, count: number): readonly MachineSpec[] {
  return Array.from({ length: count }, (_, place) => aMachine(stage, place + 1));
}

/** The object of this name in the scenario's namespace. */
export async function read({ client, namespace }: Stage, resource: Resource<ApiObject>, name: string) {
  return client.get(resource, resource.namespaced ? `${namespace}/${name}` : name);
}

/** Changes an object by a merge patch. */
export async function change(
  { client, namespace }: Stage,
  resource: Resource<ApiObject>,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  await client.patch(resource, resource.namespaced ? `${namespace}/${name}` : name, { type: "merge", body });
}
