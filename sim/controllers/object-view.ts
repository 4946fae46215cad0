// What every controller reads of an object's metadata, parsed once per change when it enters a cache.
import type { Labels } from "../../src/core/labels/label-requirement.ts";
import { type Key, type KubeObject, keyOf, type OwnerReference, type Stored } from "../../src/kube/resource.ts";

export type ObjectView = {
  readonly key: Key;
  readonly name: string;
  /** Empty where there is none. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly labels: Labels;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly createdMs: number;
  /** Somebody has asked for its end. */
  readonly isTerminating: boolean;
};

const NO_LABELS: Labels = Object.freeze({});

/** Reads the metadata of an object. */
export function parseObjectView(object: Stored<KubeObject>): ObjectView {
  const { metadata } = object;
  return {
    key: keyOf(object),
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    labels: metadata.labels ?? NO_LABELS,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    createdMs: timeMs(metadata.creationTimestamp),
    isTerminating: metadata.deletionTimestamp !== undefined,
  };
}

/** The owner that manages an object; an object has one at most. */
export function controllerOf({ owners }: Pick<ObjectView, "owners">): OwnerReference | undefined {
  return owners.find((owner) => owner.controller === true);
}

/** The reference by which a managed object names its controller. */
export function controllerReference(
  owner: Pick<ObjectView, "name" | "uid">,
  type: { readonly apiVersion: string; readonly kind: string },
): OwnerReference {
  const { name, uid } = owner;
  return { apiVersion: type.apiVersion, kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The milliseconds of an API timestamp; the distant past when there is none. */
export function timeMs(text: string | undefined): number {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
}
