// Where the objects of the model controllers live, and the one shape in which they come: metadata that everybody has, and the
// rest as JSON that each controller's parser reads.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { KubeObject, ObjectMeta, Resource } from "../../src/kube/resource.ts";

export type ApiObject = KubeObject & {
  readonly metadata: ObjectMeta & { readonly generateName?: string };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly data?: Json;
  readonly revision?: number;
};

const core = { group: "", version: "v1" };

export const PODS: Resource<ApiObject> = { ...core, plural: "pods", kind: "Pod", namespaced: true };
export const NODES: Resource<ApiObject> = { ...core, plural: "nodes", kind: "Node", namespaced: false };
export const NAMESPACES: Resource<ApiObject> = { ...core, plural: "namespaces", kind: "Namespace", namespaced: false };
export const SERVICE_ACCOUNTS: Resource<ApiObject> = {
  ...{ ...core, plural: "serviceaccounts", kind: "ServiceAccount", namespaced: true },
};
export const LEASES: Resource<ApiObject> = {
  ...{ group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true },
};
export const DAEMON_SETS: Resource<ApiObject> = {
  ...{ group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true },
};
export const CONTROLLER_REVISIONS: Resource<ApiObject> = {
  ...{ group: "apps", version: "v1", plural: "controllerrevisions", kind: "ControllerRevision", namespaced: true },
};
export const JOBS: Resource<ApiObject> = {
  ...{ group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true },
};
export const DEFINITIONS: Resource<ApiObject> = {
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", namespaced: false },
};
