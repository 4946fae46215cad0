// Where the objects that plans speak of live: the kinds of Kubernetes that decisions read or write, and those handed in.
import type { ObjectBody, ObjectRef } from "../../core/decision/step.ts";
import type { Kind } from "../../kinds/kind.ts";
import {
  type AnyResource,
  controllerRevisions,
  daemonSets,
  jobs,
  namespaces,
  nodes,
  pods,
} from "../../kube/client/built-in-resources.ts";
import { apiVersionOf } from "../../kube/resource.ts";

const ofKubernetes = [nodes, namespaces, pods, daemonSets, controllerRevisions, jobs];

/** Finds the resource of an object that a step names; throws on one that no plan may name. */
export type FindResource = (ref: Pick<ObjectRef, "apiVersion" | "kind">) => AnyResource;

/** The resource of a kind's own objects. */
export function resourceOfKind({ group, version, plural, kind }: Kind): AnyResource {
  return { group, version, plural, kind, namespaced: true };
}

/** A finder over Kubernetes' own kinds and these. */
export function findResourceAmong(kinds: readonly Kind[]): FindResource {
  const all = [...ofKubernetes, ...kinds.map(resourceOfKind)];
  const byType = new Map(all.map((resource) => [typeText(apiVersionOf(resource), resource.kind), resource]));
  return ({ apiVersion, kind }) => {
    const resource = byType.get(typeText(apiVersion, kind));
    if (resource !== undefined) return resource;
    throw new Error(`a plan names ${apiVersion} ${kind}, which nobody can write; add it to known-resources.ts`);
  };
}

/** The UID of the owner that controls an object which we are about to write; undefined when it has none. */
export function controllerUidOf(object: ObjectBody): string | undefined {
  const { ownerReferences } = object.metadata;
  if (!Array.isArray(ownerReferences)) return undefined;
  return ownerReferences.find((owner) => owner?.controller === true)?.uid;
}

function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
