// The picture of a cluster for commands: read from its API server, or from a snapshot that somebody took of it.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { isForbidden, isNotFound } from "../../kube/client/api-error.ts";
import * as resources from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import { apiVersionOf, namedKey } from "../../kube/resource.ts";
import { LAST_APPLIED } from "./applied-form.ts";

export type ClusterObjects = {
  readonly objects: readonly JsonObject[];
  /** How the cluster is called in headings. */
  readonly origin: string;
};

/** What decisions read of Kubernetes itself, in the order in which a reader can follow. */
const OF_KUBERNETES: readonly resources.AnyResource[] = [
  ...[resources.nodes, resources.namespaces, resources.daemonSets],
  ...[resources.controllerRevisions, resources.jobs, resources.pods],
];

/** Reads everything that decisions of these kinds are made from. A kind that is not installed has no objects. */
export async function readCluster(client: Client, kinds: readonly Kind[]): Promise<readonly JsonObject[]> {
  const ours = kinds.map(({ group, version, plural, kind }) => ({ group, version, plural, kind, namespaced: true }));
  const lists = await Promise.all([...OF_KUBERNETES, ...ours].map((resource) => listAll(client, resource)));
  const objects = lists.flat();
  return [...objects, ...(await readTexts(client, kinds, objects))];
}

/** The ConfigMaps that objects of ours name, one by one: nobody needs the right to list all of them. */
async function readTexts(client: Client, kinds: readonly Kind[], objects: readonly JsonObject[]) {
  const named = kinds.flatMap((kind) => {
    const apiVersion = `${kind.group}/${kind.version}`;
    const own = objects.filter((object) => object.kind === kind.kind && object.apiVersion === apiVersion);
    return own.flatMap((object) => {
      const { namespace, ...identity } = objectIdentity(object);
      const texts = kind.textsOf?.({ ...identity, namespace, object }) ?? [];
      return texts.map(({ name }) => namedKey(name, namespace));
    });
  });
  const found = await Promise.all(
    [...new Set(named)].map(async (key) => {
      try {
        const object = await client.get(resources.configMaps, key);
        return object === undefined ? [] : [{ ...object, apiVersion: "v1", kind: resources.configMaps.kind }];
      } catch (error) {
        if (isForbidden(error)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

async function listAll(client: Client, resource: resources.AnyResource): Promise<readonly JsonObject[]> {
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  try {
    const { items } = await client.list(resource);
    // A list does not say of each item what it is.
    return items.map((item) => ({ ...item, apiVersion, kind }));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/**
 * The object without what tells nothing to a decision and could tell too much to a stranger. Of our own kinds a plan reads what was applied last,
 * which tells no more than their spec.
 */
export function withoutNoise(object: JsonObject, { isOurs }: { readonly isOurs: boolean }): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const { managedFields: _, annotations, ...kept } = metadata;
  const { [LAST_APPLIED]: applied, ...others } = isJsonObject(annotations) ? annotations : {};
  const told = isOurs && applied !== undefined ? { ...others, [LAST_APPLIED]: applied } : others;
  const cut = { ...object, metadata: { ...kept, ...(Object.keys(told).length === 0 ? {} : { annotations: told }) } };
  return object.kind === "Pod" ? withoutEnvironment(cut) : object.kind === "Node" ? withoutImages(cut) : cut;
}

/** Values in a pod's environment may be secrets that somebody put there; no decision reads them. */
function withoutEnvironment(pod: JsonObject): JsonObject {
  const spec = isJsonObject(pod.spec) ? pod.spec : {};
  const bare = (containers: unknown) =>
    Array.isArray(containers)
      ? containers.map((container) => {
          if (!isJsonObject(container)) return container;
          const { env: _, ...rest } = container;
          return rest;
        })
      : [];
  return { ...pod, spec: { ...spec, containers: bare(spec.containers), initContainers: bare(spec.initContainers) } };
}

function withoutImages(node: JsonObject): JsonObject {
  const { images: _, ...status } = isJsonObject(node.status) ? node.status : {};
  return { ...node, status };
}
