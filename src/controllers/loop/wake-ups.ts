// What makes us look at an object again: its own change, that of its children, of nodes that concern it, or of its namespace.
// A look too many costs time; one too few costs a node its driver. The queue makes many wake-ups of one object into one look.

import type { ObjectIdentity } from "../../core/decision/object-identity.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { type Key, namedKey } from "../../kube/resource.ts";
import { cacheSource } from "../../runtime/queue/cache-source.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import type { ClusterCaches, NamespaceState, ObjectIndex } from "../view/cluster-caches.ts";
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
  const ownersOf = rememberOwners(parts);
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

/** Owners that are remembered; beyond that all are looked up anew. */
const OWNERS_MAX = 10_000;

/**
 * Tells whom a child concerns. A rollout brings thousands of events of pods that one object controls, so what was found for an owner is
 * kept as long as the caches that lead to it stand still.
 */
function rememberOwners({ caches, objects }: WakeUpParts): (child: ObjectIdentity | undefined) => readonly Key[] {
  const ways = [objects, caches.workloads, caches.jobs].filter((cache) => cache !== undefined);
  const known = new Map<string, readonly Key[]>();
  let versions: readonly string[] = [];
  return (child) => {
    if (child === undefined) return [];
    const { controllerUid, namespace } = child;
    if (controllerUid === undefined) return keysIn(objects, namespace);
    const isStill = ways.every(({ resourceVersion }, place) => resourceVersion === versions[place]);
    if (!isStill || known.size >= OWNERS_MAX) known.clear();
    if (!isStill) versions = ways.map(({ resourceVersion }) => resourceVersion);
    const keys = known.get(controllerUid) ?? ownerKeys(controllerUid, { caches, objects });
    // An owner that is not there yet is looked for again: a look too many costs less than one too few.
    if (keys.length > 0) known.set(controllerUid, keys);
    return keys;
  };
}

/** The object with this UID, or the one that controls the workload or Job with it. */
function ownerKeys(uid: string, { caches, objects }: Pick<WakeUpParts, "caches" | "objects">): readonly Key[] {
  const keys = Array.from(objects.by("uid", uid), keyOf);
  for (const cache of [caches.workloads, caches.jobs]) {
    for (const between of cache?.by("uid", uid) ?? []) {
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
