// The objects that these tests write and watch: ConfigMaps with one text, each test in a namespace of its own.
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";

export type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export const configMaps: Resource<ConfigMap> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" },
  namespaced: true,
};

const namespaces: Resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/** A ConfigMap to be created. */
export function aConfigMap(namespace: string, name: string, text = "new"): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { text } };
}

/** A merge patch that changes the text, and nothing else. */
export function newText(text: string): { readonly type: "merge"; readonly body: { readonly data: { text: string } } } {
  return { type: "merge", body: { data: { text } } };
}

/** Makes a namespace that no other test uses. */
export async function makeNamespace(client: Client, name: string): Promise<void> {
  await client.apply(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}
