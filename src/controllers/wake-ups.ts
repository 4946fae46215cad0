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

export type WakeUpParts = {
  readonly kind: Kind;
  readonly caches: ClusterCaches;
  readonly objects: Cache<StoredObject, ObjectIndex>;
  /** Told when our own code fails to say whom a change concerns; everybody is woken then. */
  readonly onMistake: (error: unknown) => void;
};

/** Everything that wakes the objects of a kind. */
export function wakeUpsOf(parts: WakeUpParts): readonly Source[] {
  const { kind, caches, objects, onMistake } = parts;
  const children = [caches.workloads, caches.pods, caches.jobs, caches.revisions].filter(
    (cache) => cache !== undefined,
  );
  const ownersOf = (child: ObjectIdentity | undefined) => (child === undefined ? [] : ownerKeys(child, parts));
  return [
    cacheSource(objects, (object) => [keyOf(object)], { onFailure: onMistake }),
    ...children.map((cache) => cacheSource<ObjectIdentity | undefined>(cache, ownersOf, { onFailure: onMistake })),
    cacheSource(caches.namespaces, ({ name }) => keysIn(objects, name), { isWorthALook: isNewEnd }),
    nodeSource(parts),
    ...(kind.traces === undefined ? [] : [cacheSource(caches.nodes, (node) => goneKeys(node, parts))]),
  ];
}

/** The object that controls a child, or controls what controls it. What nobody controls may be adopted by any in its namespace. */
function ownerKeys(child: ObjectIdentity, { caches, objects }: WakeUpParts): readonly Key[] {
  const { controllerUid, namespace } = child;
  if (controllerUid === undefined) return keysIn(objects, namespace);
  const between = [caches.workloads, caches.jobs].flatMap((cache) => [...(cache?.by("uid", controllerUid) ?? [])]);
  const owners = [controllerUid, ...between.map((owned) => owned.controllerUid)];
  return owners.flatMap((uid) => (uid === undefined ? [] : [...objects.by("uid", uid)].map(keyOf)));
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
