// The advanced DaemonSet that scenarios and end-to-end tests work with: one container, and a patch for large nodes.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { daemonSetCrd } from "../../../src/kinds/daemon-set/api/crd.ts";
import { customResourceDefinition } from "../../../src/kinds/schema/crd.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";

export type SetObject = KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject };
export type AnyObject = KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject };

export const GROUP = "apps.kruise.io";
export const NAMESPACE = "default";
export const SET_NAME = "agent";
export const SETS_TABLE = `daemonsets.${GROUP}`;
export const SET_KEY = `${NAMESPACE}/${SET_NAME}`;
export const BROKEN_KEY = `${NAMESPACE}/broken`;
/** A node with this value of the label gets the patch. */
export const SIZE_LABEL = "example.org/size";

const core = (plural: string, kind: string, namespaced: boolean): Resource<AnyObject> => ({
  ...{ group: "", version: "v1", plural, kind, namespaced },
});
export const nodes = core("nodes", "Node", false);
export const pods = core("pods", "Pod", true);
export const sets: Resource<SetObject> = {
  ...{ group: GROUP, version: "v1beta1", plural: "daemonsets", kind: "DaemonSet", namespaced: true },
};
export const olderSets: Resource<SetObject> = { ...sets, version: "v1alpha1" };
export const revisions: Resource<AnyObject & { readonly data?: JsonObject; readonly revision?: number }> = {
  ...{ group: "apps", version: "v1", plural: "controllerrevisions", kind: "ControllerRevision", namespaced: true },
};
export const definitions: Resource<KubeObject> = {
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", namespaced: false },
};

/** The definition as it is installed. */
export function setDefinition(): KubeObject {
  return JSON.parse(JSON.stringify(customResourceDefinition(daemonSetCrd)));
}

/** The pod template with an image of this tag. */
export function aTemplate(tag: string): JsonObject {
  const env = [{ name: "SIZE", value: "small" }];
  return {
    metadata: { labels: { app: SET_NAME } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "agent", image: `registry.example.com/agent:${tag}`, env }],
    },
  };
}

/** What large nodes get. */
export function aPatch(size: string): JsonObject {
  return {
    selector: { matchLabels: { [SIZE_LABEL]: "large" } },
    patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value: size }] }] } },
  };
}

/** A set with these fields in its spec besides the usual ones. */
export function aSet(spec: JsonObject = {}, name = SET_NAME): SetObject {
  return {
    ...{ apiVersion: `${GROUP}/v1beta1`, kind: "DaemonSet", metadata: { name, namespace: NAMESPACE } },
    spec: {
      ...{ selector: { matchLabels: { app: SET_NAME } }, template: aTemplate("1"), patches: [aPatch("large")] },
      ...spec,
    },
  };
}

/** A set that never passed a webhook, nor a schema: nothing in it can be used. */
export function aBrokenSet(): SetObject {
  const patches = [{ selector: "everything", patch: [{ $patch: "delete" }], priority: "high" }];
  return aSet({ patches, template: { spec: { containers: "none" } }, updateStrategy: { type: 7 } }, "broken");
}
