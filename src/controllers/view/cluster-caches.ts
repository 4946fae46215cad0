// The caches behind all decisions of one process: nodes, namespaces, the kinds' own objects, and of the rest what the kinds say that
// they read. Every replica keeps them warm; only the leader acts on them.

import { type ObjectIdentity, objectIdentity } from "../../core/decision/object-identity.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { TASK_LABEL } from "../../core/decision/task.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { createFactsParser, type NodeFacts } from "../../core/node/node-facts.ts";
import { type DaemonPod, parseDaemonPod } from "../../core/pod/daemon-pod.ts";
import { parseWorkload, type Workload } from "../../core/rollout/workload.ts";
import type { Kind, Source } from "../../kinds/kind.ts";
import { type Cache, createCache } from "../../kube/cache/cache.ts";
import type { CacheLimits } from "../../kube/cache/cache-limits.ts";
import type { TermsOf } from "../../kube/cache/secondary-index.ts";
import * as resources from "../../kube/client/built-in-resources.ts";
import type { UnreadAnswers } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Transport } from "../../kube/transport.ts";
import type { Logger } from "../../runtime/log/log.ts";
import { type CatchUpPorts, catchUp, restartable } from "./catch-up.ts";
import { resourceOfKind } from "./known-resources.ts";

export type NamespaceState = { readonly name: string; readonly isTerminating: boolean };
/** By the UID of what controls it; what nobody controls, by its namespace. */
export type OwnedIndex = "controller" | "stray";
export type WorkloadIndex = OwnedIndex | "uid" | "label";
export type TaskIndex = OwnedIndex | "uid";
export type ObjectIndex = "uid" | "namespace" | "controller";

export type ClusterCaches = {
  readonly nodes: Cache<NodeFacts, never>;
  readonly namespaces: Cache<NamespaceState, never>;
  /** The kinds' own objects, by the name of their resource. */
  readonly objects: ReadonlyMap<string, Cache<StoredObject, ObjectIndex>>;
  /** The following are there when a kind reads them. */
  readonly workloads: Cache<Workload, WorkloadIndex> | undefined;
  /** Pods that belong to nobody we care for are held as undefined: they cost next to nothing and are found by nobody. */
  readonly pods: Cache<DaemonPod | undefined, OwnedIndex> | undefined;
  /** Only those that we made. */
  readonly jobs: Cache<StoredObject, TaskIndex> | undefined;
  readonly revisions: Cache<StoredObject, OwnedIndex> | undefined;
  /** Every cache by the name of its resource. */
  readonly all: ReadonlyMap<string, Cache<unknown, never>>;
  /** Resolves when everything that decisions of this kind read has been listed; rejects when the caches stop before. */
  syncedFor(kind: Kind): Promise<void>;
  /** Resolves when all that has been written until now has been seen, of what decisions of this kind read. */
  caughtUpFor(kind: Kind, client: CatchUpPorts["client"], signal: AbortSignal): Promise<void>;
  /** Keeps all caches up to date until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
};

export type CachePorts = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly limits?: Partial<CacheLimits>;
  /** Our name in the server's audit log. */
  readonly userAgent?: string;
};

/** Members that parseNodeFacts does not read. They are most of a Node. */
export const UNREAD_OF_NODES: readonly string[] = [
  "metadata.annotations",
  ...["spec.podCIDR", "spec.podCIDRs", "spec.providerID"],
  ...["status.addresses", "status.allocatable", "status.capacity", "status.config", "status.daemonEndpoints"],
  ...["status.features", "status.images", "status.runtimeHandlers", "status.volumesAttached", "status.volumesInUse"],
];
/** Members that parseDaemonPod does not read. */
export const UNREAD_OF_PODS: readonly string[] = [
  ...["spec.containers", "spec.initContainers", "spec.ephemeralContainers", "spec.volumes", "spec.tolerations"],
  "status.ephemeralContainerStatuses",
  ...["status.hostIPs", "status.podIPs"],
];

/**
 * What caches leave out is not read of answers either: the ledger shows them by the same parsers. A pod that we have made is taken to be what
 * we sent, until its cache shows what others made of it.
 */
export const UNREAD_ANSWERS: UnreadAnswers = new Map([
  [resourceName(resources.nodes), { written: UNREAD_OF_NODES }],
  [resourceName(resources.pods), { written: UNREAD_OF_PODS, created: "metadata" }],
]);

/** Builds the caches that these kinds need; nothing is sent before `run`. */
export function createClusterCaches(ports: CachePorts, kinds: readonly Kind[]): ClusterCaches {
  const all = new Map<string, Cache<unknown, never>>();
  const running = new Map<string, ReturnType<typeof restartable>>();
  const open = <V, I extends string>(
    resource: resources.AnyResource,
    { project, indexes, unread = [], ...narrowed }: Holding<V, I>,
  ): Cache<V, I> => {
    const name = resourceName(resource);
    const hooks = {
      onUnreadable: (message: string) => ports.log.error("an object cannot be read", { message }),
      onListenerFailure: (error: unknown) => ports.log.error("a change was not followed up", { resource: name, error }),
    };
    const cache = createCache({ ...ports, ...narrowed, resource, project, indexes, unread, hooks });
    all.set(name, cache);
    running.set(name, restartable(resource, cache));
    return cache;
  };
  const isRead = (source: Source) => kinds.some(({ reads }) => reads.includes(source));
  const owners = new Set(["DaemonSet", ...kinds.map(({ kind }) => kind)]);
  const caches = {
    nodes: open(resources.nodes, { project: createFactsParser(), indexes: {}, unread: UNREAD_OF_NODES }),
    namespaces: open(resources.namespaces, { project: namespaceState, indexes: {} }),
    objects: new Map(kinds.map((kind) => openKind(kind, open))),
    workloads: isRead("daemonsets") ? open(resources.daemonSets, workloads) : undefined,
    pods: isRead("pods") ? open(resources.pods, podsOf(owners)) : undefined,
    jobs: isRead("jobs") ? open(resources.jobs, tasks) : undefined,
    revisions: isRead("controllerrevisions") ? open(resources.controllerRevisions, ownedObjects) : undefined,
  };
  return {
    ...{ ...caches, all },
    async syncedFor(kind) {
      await Promise.all(namesFor(kind).map((name) => all.get(name)?.synced));
    },
    async caughtUpFor(kind, client, signal) {
      const wanted = namesFor(kind).flatMap((name) => running.get(name) ?? []);
      await Promise.all(wanted.map((cache) => catchUp(cache, { client, clock: ports.clock }, signal)));
    },
    async run(signal) {
      await Promise.all([...running.values()].map((cache) => cache.run(signal)));
    },
  };
}

/** The names of the resources that decisions of a kind read. */
function namesFor(kind: Kind): readonly string[] {
  const always = [resources.nodes, resources.namespaces, resourceOfKind(kind)];
  return [...always, ...sourcesOf(kind)].map(resourceName);
}

type Holding<V, I extends string> = {
  readonly project: (object: JsonObject) => V;
  readonly indexes: Readonly<Record<I, TermsOf<V>>>;
  readonly unread?: readonly string[];
  /** Everything else is not even sent to us. */
  readonly labelSelector?: string;
};

const byOwner: Readonly<Record<OwnedIndex, TermsOf<ObjectIdentity>>> = {
  controller: ({ controllerUid }) => (controllerUid === undefined ? [] : [controllerUid]),
  stray: ({ controllerUid, namespace }) => (controllerUid === undefined ? [namespace] : []),
};

const ownedObjects: Holding<StoredObject, OwnedIndex> = { project: storedObject, indexes: byOwner };

const tasks: Holding<StoredObject, TaskIndex> = {
  ...{ project: storedObject, labelSelector: TASK_LABEL },
  indexes: { ...byOwner, uid: ({ uid }) => [uid] },
};

const workloads: Holding<Workload, WorkloadIndex> = {
  project: parseWorkload,
  indexes: {
    ...byOwner,
    uid: ({ uid }) => [uid],
    label: ({ namespace, labels }) => Object.entries(labels).map(([key, value]) => labelTerm(namespace, key, value)),
  },
};

function podsOf(owners: ReadonlySet<string>): Holding<DaemonPod | undefined, OwnedIndex> {
  return {
    project: (object) => (isOfOneOf(owners, object) ? parseDaemonPod(object) : undefined),
    indexes: {
      controller: (pod) => (pod === undefined ? [] : byOwner.controller(pod)),
      stray: (pod) => (pod === undefined ? [] : byOwner.stray(pod)),
    },
    unread: UNREAD_OF_PODS,
  };
}

function openKind(
  kind: Kind,
  open: <V, I extends string>(resource: resources.AnyResource, holding: Holding<V, I>) => Cache<V, I>,
): readonly [string, Cache<StoredObject, ObjectIndex>] {
  const resource = resourceOfKind(kind);
  const indexes = {
    uid: ({ uid }: StoredObject) => [uid],
    namespace: ({ namespace }: StoredObject) => [namespace],
    controller: byOwner.controller,
  };
  return [resourceName(resource), open(resource, { project: storedObject, indexes })];
}

const resourceOfSource: Readonly<Record<Source, resources.AnyResource | undefined>> = {
  daemonsets: resources.daemonSets,
  pods: resources.pods,
  jobs: resources.jobs,
  controllerrevisions: resources.controllerRevisions,
  // A registry is asked, not watched.
  images: undefined,
};

function sourcesOf({ reads }: Kind): readonly resources.AnyResource[] {
  return reads.map((source) => resourceOfSource[source]).filter((resource) => resource !== undefined);
}

/** How a workload is found by one of its labels. */
export function labelTerm(namespace: string, key: string, value: string): string {
  return `${namespace} ${key}=${value}`;
}

/** Reads an object of a kind of which nothing but its identity is known here. */
export function storedObject(object: JsonObject): StoredObject {
  return { ...objectIdentity(object), object };
}

/** A pod without a controller may be adopted, so it counts as ours, too; of Jobs there are many that are not. */
function isOfOneOf(owners: ReadonlySet<string>, object: JsonObject): boolean {
  const { ownerReferences, labels } = isJsonObject(object.metadata) ? object.metadata : {};
  if (!isJsonList(ownerReferences)) return true;
  const controller = ownerReferences.filter(isJsonObject).find((owner) => owner.controller === true);
  if (controller?.kind === resources.jobs.kind) return isJsonObject(labels) && Object.hasOwn(labels, TASK_LABEL);
  return controller === undefined || (typeof controller.kind === "string" && owners.has(controller.kind));
}

function namespaceState(object: JsonObject): NamespaceState {
  const { name, isLeaving } = objectIdentity(object);
  return { name, isTerminating: isLeaving };
}
