// Built-in objects that the scenarios use, as small as the API server accepts them.

export const configMaps = "/api/v1/namespaces/{{ns}}/configmaps";
export const pods = "/api/v1/namespaces/{{ns}}/pods";
export const daemonSets = "/apis/apps/v1/namespaces/{{ns}}/daemonsets";
export const jobs = "/apis/batch/v1/namespaces/{{ns}}/jobs";
export const nodes = "/api/v1/nodes";
export const leases = "/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases";
export const revisions = "/apis/apps/v1/namespaces/{{ns}}/controllerrevisions";
export const events = "/api/v1/namespaces/{{ns}}/events";

/** A ConfigMap with some entries, and metadata beside its name if given. */
export function aConfigMap(name: string, entries: object = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data: entries };
}

/** A pod of one container; `spec` is laid over it. */
export function aPod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "main", image: "img:1" }], ...spec },
  };
}

/** A DaemonSet whose selector and template agree; `spec` is laid over it. */
export function aDaemonSet(name: string, spec: object = {}): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "img:1" }] } };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

/** A Job of one container. */
export function aJob(name: string): object {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "img:1" }] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template } };
}

/** A node with some metadata beside its name. */
export function aNode(name: string, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "Node", metadata: { name, ...metadata } };
}
