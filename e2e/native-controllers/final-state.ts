// What is left of a scenario, without what differs by chance: names that the server made up, UIDs, hashes, times.
import {
  type ApiObject,
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  JOBS,
  NAMESPACES,
  NODES,
  PODS,
} from "../../sim/controllers/api-resources.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { Resource } from "../../src/kube/resource.ts";

export const MAPS: Resource<ApiObject> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};

export type FinalState = Readonly<Record<string, unknown>>;

const chance = [
  ...["uid", "resourceVersion", "creationTimestamp", "managedFields", "generateName", "selfLink"],
  ...["lastTransitionTime", "lastProbeTime", "lastHeartbeatTime", "startTime", "completionTime", "timeAdded"],
  ...["startedAt", "finishedAt", "containerID", "podIP", "podIPs", "hostIP", "hostIPs", "imageID"],
  ...["addresses", "nodeInfo", "images", "daemonEndpoints", "podCIDR", "podCIDRs", "runtimeHandlers", "features"],
];
const chanceLabels = ["controller-revision-hash", "controller-uid", "batch.kubernetes.io/controller-uid"];

/** Reads the state of a namespace and of the nodes of its scenario. */
export async function finalState(client: Client, namespace: string): Promise<FinalState> {
  const list = async (resource: Resource<ApiObject>) => (await client.list(resource, { namespace })).items;
  const nodes = await client.list(NODES, { labelSelector: `scenario=${namespace}` });
  const maps = (await list(MAPS)).filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
  const space = await client.get(NAMESPACES, namespace);
  return {
    namespace: space === undefined ? "gone" : space.status?.phase,
    pods: sorted((await list(PODS)).map((pod) => ({ metadata: podMeta(pod), content: plain([pod.spec, pod.status]) }))),
    daemonSets: sorted((await list(DAEMON_SETS)).map(plain)),
    revisions: sorted((await list(CONTROLLER_REVISIONS)).map(({ revision, data }) => ({ revision, data }))),
    jobs: sorted((await list(JOBS)).map(plain)),
    maps: sorted(
      maps.map(({ metadata }) => ({
        name: metadata.name,
        owners: (metadata.ownerReferences ?? []).map(({ name }) => name),
      })),
    ),
    nodes: sorted(
      nodes.items.map(({ metadata, spec = {}, status = {} }) => ({
        ...{ name: metadata.name, taints: sorted([plain(spec.taints ?? [])].flat()) },
        conditions: plain(status.conditions ?? []),
      })),
    ),
  };
}

/** Pods have names by chance; what they belong to and what holds them is none. */
function podMeta({ metadata }: ApiObject): unknown {
  const { labels, annotations, finalizers = [], ownerReferences = [], generation, deletionTimestamp } = metadata;
  return {
    ...{ labels: plain(labels), annotations, finalizers, generation, isTerminating: deletionTimestamp !== undefined },
    owners: ownerReferences.map(({ uid: _, ...owner }) => owner),
  };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !chance.includes(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, chanceLabels.includes(key) ? "(by chance)" : plain(inner)]),
  );
}

function sorted(values: readonly unknown[]): readonly unknown[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
