// Who owns whom, over all resources: every object by its UID, and the objects that name it as their owner.
import type { Key, OwnerReference, Resource } from "../../../src/kube/resource.ts";
import type { ApiObject } from "../api-resources.ts";
import type { ObjectView } from "../object-view.ts";

export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

export type Item = Pick<
  ObjectView,
  "key" | "name" | "namespace" | "uid" | "resourceVersion" | "owners" | "finalizers"
> & {
  readonly resource: Resource<ApiObject>;
  readonly isTerminating: boolean;
};

export class OwnerGraph {
  readonly #items = new Map<string, Item>();
  readonly #dependents = new Map<string, Map<string, Item>>();

  get(uid: string): Item | undefined {
    return this.#items.get(uid);
  }

  uids(): Iterable<string> {
    return this.#items.keys();
  }

  /** The objects that name this UID among their owners. */
  dependentsOf(uid: string): readonly Item[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** Takes in a state of an object and answers who has to be looked at because of it. */
  put(item: Item): readonly string[] {
    const was = this.#items.get(item.uid);
    this.#unlink(was);
    this.#items.set(item.uid, item);
    for (const { uid } of item.owners) this.#linksOf(uid).set(item.uid, item);
    const isWaiting = (uid: string) => isDeletingDependents(this.#items.get(uid));
    const owners = [...(was?.owners ?? []), ...item.owners].map(({ uid }) => uid);
    const isToBeJudged = item.owners.some((owner) => !this.#hasMeant(owner, item) || isWaiting(owner.uid));
    const isEnding = item.isTerminating && (item.finalizers.includes(FOREGROUND) || item.finalizers.includes(ORPHAN));
    const beginsToWait = isDeletingDependents(item) && !isDeletingDependents(was);
    return [
      ...(isToBeJudged || isEnding ? [item.uid] : []),
      ...owners.filter(isWaiting),
      ...(beginsToWait ? this.dependentsOf(item.uid).map(({ uid }) => uid) : []),
    ];
  }

  /** Takes in that an object is gone and answers who has to be looked at because of it. */
  remove(uid: string): readonly string[] {
    const was = this.#items.get(uid);
    if (was === undefined) return [];
    this.#unlink(was);
    this.#items.delete(uid);
    const waiting = was.owners.filter((owner) => isDeletingDependents(this.#items.get(owner.uid)));
    return [...this.dependentsOf(uid).map((item) => item.uid), ...waiting.map((owner) => owner.uid)];
  }

  #hasMeant(owner: OwnerReference, item: Item): boolean {
    const found = this.#items.get(owner.uid);
    return found !== undefined && isMeant(owner, found, item);
  }

  #unlink(item: Item | undefined): void {
    for (const owner of item?.owners ?? []) {
      const links = this.#dependents.get(owner.uid);
      links?.delete(item?.uid ?? "");
      if (links?.size === 0) this.#dependents.delete(owner.uid);
    }
  }

  #linksOf(uid: string): Map<string, Item> {
    const links = this.#dependents.get(uid) ?? new Map<string, Item>();
    this.#dependents.set(uid, links);
    return links;
  }
}

/** True while an object waits for the end of those it owns. */
export function isDeletingDependents(item: Pick<Item, "isTerminating" | "finalizers"> | undefined): boolean {
  return item?.isTerminating === true && item.finalizers.includes(FOREGROUND);
}

/** Whether the object found under a UID is the one that a reference means: names and namespaces must fit, too. */
export function isMeant(owner: OwnerReference, found: Item, dependent: { readonly namespace: string }): boolean {
  const [, group = ""] = owner.apiVersion.split("/").reverse();
  const isSameType = found.resource.kind === owner.kind && found.resource.group === group;
  const isInReach = !found.resource.namespaced || found.namespace === dependent.namespace;
  return isSameType && found.name === owner.name && isInReach;
}

/** The key under which an owner would be found. */
export function ownerKey(owner: OwnerReference, isNamespaced: boolean, namespace: string): Key {
  return isNamespaced ? `${namespace}/${owner.name}` : owner.name;
}
