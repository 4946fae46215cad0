// The cluster as far as toys go, in a form that is the same for every way that led there.
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { IMAGE, toys } from "./toy-kind.ts";

export type AnyObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };
const core = (plural: string, kind: string, namespaced: boolean): Resource<AnyObject> => ({
  ...{ group: "", version: "v1", plural, kind, namespaced },
});
export const nodes = core("nodes", "Node", false);
export const namespaces = core("namespaces", "Namespace", false);
export const pods = core("pods", "Pod", true);
export const daemonSets: Resource<AnyObject> = {
  ...{ group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true },
};
export const definitions: Resource<KubeObject> = {
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", namespaced: false },
};

export type ToyCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};
export type Picture = {
  readonly toys: Readonly<Record<string, unknown>>;
  /** Images, by name. */
  readonly workloads: Readonly<Record<string, unknown>>;
  /** What toys wrote to nodes. */
  readonly labels: Readonly<Record<string, string>>;
  readonly pods: readonly string[];
};

/** Reads the picture from the server. */
export async function toyPicture(client: Client): Promise<Picture> {
  const list = async (resource: Resource<AnyObject>) => (await client.list(resource)).items;
  const byName = (objects: readonly AnyObject[], value: (object: AnyObject) => unknown) =>
    Object.fromEntries(objects.map((object) => [object.metadata.name, value(object)]));
  const labelled = (await list(nodes)).flatMap(({ metadata }) =>
    Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
      key.startsWith("label.") ? [[metadata.name, value]] : [],
    ),
  );
  return {
    toys: byName((await client.list(toys)).items, ({ status }) => toySummary(status)),
    workloads: byName(await list(daemonSets), ({ metadata }) => metadata.labels?.[IMAGE]),
    labels: Object.fromEntries(labelled),
    pods: (await list(pods)).filter(isToyPod).map(podSummary).sort(),
  };
}

/** What a toy says of being stalled. */
export async function stalledOf(client: Client, name: string): Promise<ToyCondition | undefined> {
  const toy = await client.get(toys, `default/${name}`);
  return conditionsOf(toy?.status).find(({ type }) => type === "Stalled");
}

function toySummary(status: unknown): unknown {
  const { nodes: count, ready } = fieldsOf(status);
  const states = conditionsOf(status).map(({ type, status: is }) => [type, is]);
  return { nodes: count, ready, ...Object.fromEntries(states) };
}

function conditionsOf(status: unknown): readonly ToyCondition[] {
  const { conditions } = fieldsOf(status);
  return Array.isArray(conditions) ? conditions : [];
}

/** Whether a toy made the pod itself. */
export function isToyPod({ metadata }: AnyObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === "Toy") === true;
}

/** The node of a pod. */
export function nodeOf({ spec }: AnyObject): string {
  return String(fieldsOf(spec).nodeName);
}

/** The toy and the node that a pod is for. */
export function placeOf(pod: AnyObject): string {
  return `${pod.metadata.ownerReferences?.[0]?.name} on ${nodeOf(pod)}`;
}

/** `node-1 v2 ready` */
export function podSummary(pod: AnyObject): string {
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  const isReady = conditionsOf(pod.status).some(({ type, status }) => type === "Ready" && status === "True");
  const state = isLeaving ? "leaving" : isReady ? "ready" : "not ready yet";
  return `${nodeOf(pod)} ${pod.metadata.labels?.[IMAGE]} ${state}`;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
