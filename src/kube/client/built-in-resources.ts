// Where the objects of Kubernetes itself live that an operator reads or writes, for clients that know nothing more of them.
import type { KubeObject, Resource } from "../resource.ts";

type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

/** What a client answers with where nothing is known of an object but its metadata. */
export type AnyObject = KubeObject & { readonly [key: string]: Json };
export type AnyResource = Resource<AnyObject>;

const ADMISSION = "admissionregistration.k8s.io";

export const nodes = clusterWide("", "nodes", "Node");
export const namespaces = clusterWide("", "namespaces", "Namespace");
export const pods = namespaced("", "pods", "Pod");
export const configMaps = namespaced("", "configmaps", "ConfigMap");
export const secrets = namespaced("", "secrets", "Secret");
export const daemonSets = namespaced("apps", "daemonsets", "DaemonSet");
export const controllerRevisions = namespaced("apps", "controllerrevisions", "ControllerRevision");
export const jobs = namespaced("batch", "jobs", "Job");
export const leases = namespaced("coordination.k8s.io", "leases", "Lease");
export const definitions = clusterWide("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition");
export const validatingConfigurations = clusterWide(
  ADMISSION,
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
);
export const mutatingConfigurations = clusterWide(
  ADMISSION,
  "mutatingwebhookconfigurations",
  "MutatingWebhookConfiguration",
);

function namespaced(group: string, plural: string, kind: string): AnyResource {
  return { group, version: "v1", plural, kind, namespaced: true };
}

function clusterWide(group: string, plural: string, kind: string): AnyResource {
  return { group, version: "v1", plural, kind, namespaced: false };
}
