// What makes us look at an object again: its own change, that of its children, of nodes that concern it, or of its namespace.
// A look too many costs time; one too few costs a node its driver. The queue makes many wake-ups of one object into one look.
import type { NodeFacts } from "../core/node-facts.ts";
import type { ObjectIdentity } from "../core/object-identity.ts";
import type { StoredObject } from "../core/snapshot.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Cache } from "../kube/cache.ts";
import { type Key, namedKey } from "../kube/resource.ts";
import { cacheSource } from "../runtime/cache-source.ts";
import type { Source } from "../runtime/intake.ts";
import type { ClusterCaches, NamespaceState, ObjectIndex } from "./cluster-caches.ts";
import type { Lulls } from "./lulls.ts";

export type WakeUpParts = {
  readonly kind: Kind;
  readonly caches: ClusterCaches;
  readonly objects: Cache<StoredObject, ObjectIndex>;
  /** In which pods and workloads wake nobody. */
  readonly lulls: Pick<Lulls, "covers">;
  /** Told when our own code fails to say whom a change concerns; everybody is woken then. */
  readonly onMistake: (error: unknown) => void;
};

/** Everything that wakes the objects of a kind. */
export function wakeUpsOf(parts: WakeUpParts): readonly Source[] {
  const { kind, caches, objects, lulls, onMistake } = parts;
  const ownersOf = (child: ObjectIdentity | undefined) => (child === undefined ? [] : ownerKeys(child, parts));
  const restingOut = (child: ObjectIdentity | undefined) => ownersOf(child).filter((key) => !lulls.covers(key));
  // Where there is no object, nobody has to find out whom a child concerns.
  const how = { onFailure: onMistake, isWorthALook: () => objects.size > 0 };
  const children = <V extends ObjectIdentity>(
    cache: Cache<V | undefined, never> | undefined,
    keysOf: (child: ObjectIdentity | undefined) => readonly Key[],
  ) => (cache === undefined ? [] : [cacheSource<V | undefined>(cache, keysOf, how)]);
  return [
    cacheSource(objects, (object) => [keyOf(object)], { onFailure: onMistake }),
    ...children(caches.workloads, restingOut),
    ...children(caches.pods, restingOut),
    ...children(caches.jobs, ownersOf),
    ...children(caches.revisions, ownersOf),
    cacheSource(caches.namespaces, ({ name }) => keysIn(objects, name), { isWorthALook: isNewEnd }),
    nodeSource(parts),
    ...(kind.traces === undefined ? [] : [cacheSource(caches.nodes, (node) => goneKeys(node, parts))]),
  ];
}

/** The object that controls a child, or controls what controls it. What nobody controls may be adopted by any in its namespace. */
function ownerKeys(child: ObjectIdentity, { caches, objects }: WakeUpParts): readonly Key[] {
  const { controllerUid, namespace } = child;
  if (controllerUid === undefined) return keysIn(objects, namespace);
  const keys = Array.from(objects.by("uid", controllerUid), keyOf);
  for (const cache of [caches.workloads, caches.jobs]) {
    for (const between of cache?.by("uid", controllerUid) ?? []) {
      if (between.controllerUid === undefined) continue;
      for (const owner of objects.by("uid", between.controllerUid)) keys.push(keyOf(owner));
    }
  }
  return keys;
}

function nodeSource({ kind, caches, objects, onMistake }: WakeUpParts): Source {
  const concerns = (object: StoredObject, was: NodeFacts | undefined, now: NodeFacts | undefined): boolean => {
    try {
      return kind.concerns(object, was, now);
    } catch (error) {
      onMistake(error);
      return true;
    }
  };
  return {
    start: (offer) =>
      caches.nodes.changes(({ was, now }) => {
        for (const object of objects.values()) if (concerns(object, was, now)) offer(keyOf(object), false);
      }),
  };
}

/** Objects that a node's labels speak of and that are not there any more, whenever they went. */
function goneKeys(node: NodeFacts, { kind, objects }: WakeUpParts): readonly Key[] {
  const names = kind.traces?.leftOn(node) ?? [];
  return names.map(({ name, namespace }) => namedKey(name, namespace)).filter((key) => objects.get(key) === undefined);
}

function isNewEnd(was: NamespaceState | undefined, now: NamespaceState | undefined): boolean {
  return was?.isTerminating !== now?.isTerminating;
}

function keysIn(objects: Cache<StoredObject, ObjectIndex>, namespace: string): readonly Key[] {
  return [...objects.by("namespace", namespace)].map(keyOf);
}

function keyOf({ name, namespace }: ObjectIdentity): Key {
  return namedKey(name, namespace);
}
