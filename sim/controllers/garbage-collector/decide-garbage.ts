// What becomes of one object: it stays, goes, lets go of owners that are no more, waits for its dependents or lets them go.
// Mirrors attemptToDeleteItem and attemptToOrphan of Kubernetes' garbage collector.
import type { OwnerReference } from "../../../src/kube/resource.ts";
import type { Write } from "../write.ts";
import { FOREGROUND, type Item, isDeletingDependents, ORPHAN } from "./owner-graph.ts";

export type JudgedOwner = {
  readonly owner: OwnerReference;
  /** `waiting`: it is there, and ends when its dependents have. */
  readonly state: "solid" | "waiting" | "absent";
};

export type GarbageSight = {
  readonly item: Item;
  readonly owners: readonly JudgedOwner[];
  readonly dependents: readonly Item[];
};

/** Decides about an object; the writes are to be done in order, and the last of an orphaning frees the object itself. */
export function decideGarbage({ item, owners, dependents }: GarbageSight): readonly Write[] {
  if (item.isTerminating) return decideEnding(item, dependents);
  if (owners.length === 0) return [];
  const solid = owners.filter(({ state }) => state === "solid");
  const waiting = owners.filter(({ state }) => state === "waiting");
  if (solid.length === owners.length) return [];
  if (solid.length > 0) return [keepOwners(item, solid)];
  if (waiting.length === 0 || dependents.length === 0) return [remove(item, policyOf(item))];
  // Two that wait for each other would wait for ever: one of them stops to hold its owner.
  const isCircle = dependents.some(isDeletingDependents);
  return [...(isCircle ? [unblock(item)] : []), remove(item, "Foreground", { isFenced: !isCircle })];
}

function decideEnding(item: Item, dependents: readonly Item[]): readonly Write[] {
  if (item.finalizers.includes(ORPHAN)) {
    return [...dependents.map((dependent) => letGo(dependent, item.uid)), withoutFinalizer(item, ORPHAN)];
  }
  if (!isDeletingDependents(item)) return [];
  const blocks = ({ owners }: Item) => owners.some((owner) => owner.uid === item.uid && owner.blockOwnerDeletion);
  return dependents.some(blocks) ? [] : [withoutFinalizer(item, FOREGROUND)];
}

/** What the object's own finalizers ask for is done to its dependents. */
function policyOf({ finalizers }: Item): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}

/** The version in the fence makes sure that the owners are still those that were judged. */
function remove(
  { resource, key, uid, resourceVersion }: Item,
  propagation: "Orphan" | "Foreground" | "Background",
  { isFenced } = { isFenced: true },
): Write {
  const options = { propagation, ...(isFenced ? { resourceVersion } : {}) };
  return { do: "delete", resource, key, uid, options };
}

function keepOwners(item: Item, kept: readonly JudgedOwner[]): Write {
  return patch(item, { ownerReferences: kept.map(({ owner }) => owner) });
}

function letGo(item: Item, ownerUid: string): Write {
  return patch(item, { ownerReferences: item.owners.filter(({ uid }) => uid !== ownerUid) });
}

function unblock(item: Item): Write {
  return patch(item, { ownerReferences: item.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })) });
}

function withoutFinalizer(item: Item, name: string): Write {
  return patch(item, { finalizers: item.finalizers.filter((finalizer) => finalizer !== name) });
}

function patch({ resource, key, uid, resourceVersion }: Item, metadata: Readonly<Record<string, unknown>>): Write {
  return {
    do: "patch",
    resource,
    key,
    patch: { type: "merge", body: { metadata: { uid, resourceVersion, ...metadata } } },
  };
}
