// The Module that scenarios look after, and a registry in which every image is.
import type { ImageKnowledge } from "../../../src/controllers/registry/image-knowledge.ts";
import { noImageKnowledge } from "../../../src/controllers/registry/image-knowledge.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { moduleCrd } from "../../../src/kinds/module/api/crd.ts";
import { customResourceDefinition } from "../../../src/kinds/schema/crd.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";

export type ModuleObject = KubeObject & { readonly spec: JsonObject; readonly status?: JsonObject };

export const modules: Resource<ModuleObject> = {
  ...{ group: "kmm.sigs.x-k8s.io", version: "v1beta1", plural: "modules", kind: "Module", namespaced: true },
};
const DEFINITION = "CustomResourceDefinition";
export const MODULES = "modules.kmm.sigs.x-k8s.io";
export const MODULE_KEY = "default/driver";
export const BAD_MODULE_KEY = "default/unreadable";
/** A node with this label is in scope. */
export const SCOPE = "example.dev/driver";

export const EL9 = "5.14.0-427.13.1.el9_4.x86_64";
export const UBUNTU = "6.8.0-45-generic";
export const UNMAPPED = "4.18.0-513.5.1.el8_9.x86_64";
export const KERNELS: readonly string[] = [EL9, UBUNTU, UNMAPPED];
export const MAPPED: readonly string[] = [EL9, UBUNTU];

/** The definition of Modules, as it is installed. */
export function moduleDefinition(): KubeObject {
  const metadata = { name: MODULES };
  return { ...customResourceDefinition(moduleCrd), apiVersion: "apiextensions.k8s.io/v1", kind: DEFINITION, metadata };
}

/** The kind without its schema: reading that takes longer than a short history, and other tests judge objects by it. */
export const thinDefinition = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: DEFINITION, metadata: { name: MODULES } },
  spec: {
    ...{ group: "kmm.sigs.x-k8s.io", scope: "Namespaced" },
    names: { plural: "modules", singular: "module", kind: "Module", listKind: "ModuleList" },
    versions: [
      {
        ...{ name: "v1beta1", served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** The Module with images of this tag; two of its kernels have a mapping. */
export function aSimulatedModule(tag: string, more: JsonObject = {}, name = "driver"): ModuleObject {
  return {
    apiVersion: "kmm.sigs.x-k8s.io/v1beta1",
    kind: "Module",
    metadata: { name, namespace: "default" },
    spec: {
      selector: { [SCOPE]: "yes" },
      kernelMappings: [
        { regexp: "el9", containerImage: `registry.example.com/${name}-el9:${tag}` },
        { regexp: "generic$", containerImage: `registry.example.com/${name}-ubuntu:${tag}` },
      ],
      driverContainer: { args: ["load"] },
      ...more,
    },
  };
}

export const configMaps: Resource<KubeObject> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};
const DOCKERFILE = "dockerfile";

/** What a Module of the scenarios is built by. */
export const build: JsonObject = Object.freeze({ dockerfileConfigMap: { name: DOCKERFILE } });

/** The ConfigMap that `build` names. */
export function aDockerfile(): KubeObject & { readonly data: JsonObject } {
  return {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: DOCKERFILE, namespace: "default" } },
    data: { [DOCKERFILE]: "FROM registry.example.com/base:1\n" },
  };
}

/** A Module that no admission would take: its expression cannot be read. */
export function anUnreadableModule(): ModuleObject {
  const kernelMappings = [{ regexp: "(", containerImage: "registry.example.com/unreadable:1" }];
  return aSimulatedModule("v1", { kernelMappings }, "unreadable");
}

/** Whoever asks is told that the image is there. */
export const allPresent: ImageKnowledge = {
  ...noImageKnowledge,
  state: (reference) => ({ is: "present", digest: `sha256:${reference.length}`, askedMs: 0 }),
};
