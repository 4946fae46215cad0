// What every builder is given alike: the Dockerfile, the secrets and the credentials for registries, as files in its pod. Values of
// users are files or arguments of their own, never parts of a command line that somebody takes apart.
import type { JsonObject } from "../../../core/json/json.ts";
import type { BuildOrder } from "./build-order.ts";

/** The annotation of the pod that becomes the Dockerfile, where no ConfigMap holds it. */
export const DOCKERFILE_ANNOTATION = "module.farrier.dev/dockerfile";
/** Where KMM's ConfigMaps have it. */
export const DOCKERFILE_KEY = "dockerfile";
export const CONTEXT = "/workspace";
export const DOCKERFILE = `${CONTEXT}/Dockerfile`;
/** The folder with `config.json`, the push secret. */
export const REGISTRY_FOLDER = "/run/registry";
/** The container writes its last message here. */
export const LAST_WORDS = "/dev/termination-log";

export type Given = {
  readonly volumes: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
};

/** The volumes of an order, and where each is mounted. The credentials are in another place for who looks for them there. */
export function givenTo({ dockerfile, secrets, pushSecret }: BuildOrder, registryFolder = REGISTRY_FOLDER): Given {
  const file = "configMap" in dockerfile ? fromConfigMap(dockerfile.configMap) : fromAnnotation(DOCKERFILE_ANNOTATION);
  const readOnly = true;
  return {
    volumes: [
      { name: "dockerfile", ...file },
      ...secrets.map(({ name }, index) => ({ name: `secret-${index}`, secret: { secretName: name } })),
      ...(pushSecret === undefined ? [] : [{ name: "registry", secret: credentialsFrom(pushSecret) }]),
    ],
    mounts: [
      // By its path: alone it is a file, in the folder of a volume it is a chain of links.
      { name: "dockerfile", mountPath: DOCKERFILE, subPath: "Dockerfile", readOnly },
      ...secrets.map(({ place }, index) => ({ name: `secret-${index}`, mountPath: secretFolder(place), readOnly })),
      ...(pushSecret === undefined ? [] : [{ name: "registry", mountPath: registryFolder, readOnly }]),
    ],
  };
}

/** Where the files of a secret are. */
export function secretFolder(place: string): string {
  return `/run/secrets/${place}`;
}

/** A volume whose one file is an annotation of the pod. */
export function fromAnnotation(key: string, path = "Dockerfile"): JsonObject {
  return { downwardAPI: { items: [{ path, fieldRef: { fieldPath: `metadata.annotations['${key}']` } }] } };
}

/** An argument or variable as it is: the kubelet would fill in `$(NAME)`. */
export function verbatim(text: string): string {
  return text.replaceAll("$", "$$$$");
}

function fromConfigMap(name: string): JsonObject {
  return { configMap: { name, items: [{ key: DOCKERFILE_KEY, path: "Dockerfile" }] } };
}

function credentialsFrom(secretName: string): JsonObject {
  return { secretName, items: [{ key: ".dockerconfigjson", path: "config.json" }] };
}
