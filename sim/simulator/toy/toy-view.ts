// What the toy controller and its oracles see of the cluster: a set (a ConfigMap that holds a revision), nodes, and the set's pods.
import type { KubeObject, Resource, Stored } from "../../../src/kube/resource.ts";

export type SetObject = KubeObject & { readonly data?: { readonly revision?: string } };
export type PodObject = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>> & { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

export const sets: Resource<SetObject> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};
export const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
export const pods: Resource<PodObject> = {
  ...{ group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true },
};

export const NAMESPACE = "default";
export const SET_NAME = "set";
export const LEASE_NAME = "toy";
export const REVISION = "toy.farrier.dev/revision";
export const NODE_UID = "toy.farrier.dev/node-uid";

export type ToySet = { readonly name: string; readonly uid: string; readonly revision: string };
export type ToyNode = { readonly name: string; readonly uid: string };
export type PodView = {
  readonly key: string;
  readonly name: string;
  readonly uid: string;
  readonly setUid: string;
  readonly revision: string;
  readonly nodeName: string;
  readonly nodeUid: string;
  readonly isEnding: boolean;
  readonly isReady: boolean;
};

export function viewSet({ metadata, data }: Stored<SetObject>): ToySet {
  return { name: metadata.name, uid: metadata.uid, revision: data?.revision ?? "" };
}

export function viewNode({ metadata }: Stored<KubeObject>): ToyNode {
  return { name: metadata.name, uid: metadata.uid };
}

export function viewPod({ metadata, spec, status }: Stored<PodObject>): PodView {
  return {
    key: `${metadata.namespace ?? ""}/${metadata.name}`,
    name: metadata.name,
    uid: metadata.uid,
    setUid: metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "",
    revision: metadata.labels?.[REVISION] ?? "",
    nodeName: spec?.nodeName ?? "",
    nodeUid: metadata.labels?.[NODE_UID] ?? "",
    isEnding: metadata.deletionTimestamp !== undefined,
    isReady: status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false,
  };
}
