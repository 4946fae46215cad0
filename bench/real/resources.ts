// The resources that the stories on the real control plane write and watch.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";

export type Body = KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject };

export const NAMESPACE = "default";

const core = (plural: string, kind: string, namespaced: boolean): Resource<Body> => ({
  ...{ group: "", version: "v1", plural, kind, namespaced },
});

export const nodes = core("nodes", "Node", false);
export const pods = core("pods", "Pod", true);
export const namespaces = core("namespaces", "Namespace", false);
export const serviceAccounts = core("serviceaccounts", "ServiceAccount", true);
export const configMaps = core("configmaps", "ConfigMap", true);

const inNamespace = (group: string, version: string, plural: string, kind: string): Resource<Body> => ({
  ...{ group, version, plural, kind, namespaced: true },
});

export const nativeSets = inNamespace("apps", "v1", "daemonsets", "DaemonSet");
export const advancedSets = inNamespace("apps.kruise.io", "v1beta1", "daemonsets", "DaemonSet");
export const modules = inNamespace("kmm.sigs.x-k8s.io", "v1beta1", "modules", "Module");
export const variantSets = inNamespace("farrier.dev", "v1alpha1", "variantsets", "VariantSet");

export const definitions: Resource<KubeObject> = {
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", namespaced: false },
};
