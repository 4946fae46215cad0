// The caches that the controllers of one process share, as the informers of kube-controller-manager are shared: each resource
// is watched once, and only when somebody asks for it.
import { type Cache, createCache } from "../../src/kube/cache/cache.ts";
import type { TermsOf } from "../../src/kube/cache/secondary-index.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Resource, Stored } from "../../src/kube/resource.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import {
  type ApiObject,
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEFINITIONS,
  JOBS,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICE_ACCOUNTS,
} from "./api-resources.ts";
import { type DaemonSetView, parseDaemonSet } from "./daemon-set/daemon-set-view.ts";
import { parseRevision, type RevisionView } from "./daemon-set/revision-view.ts";
import { type JobView, parseJob } from "./job/job-view.ts";
import { type NamespaceView, parseNamespace } from "./namespace/namespace-view.ts";
import { type NodeView, parseNode } from "./node-view.ts";
import { controllerOf, type ObjectView, parseObjectView } from "./object-view.ts";
import { type PodView, parsePod } from "./pod-view.ts";

export type CachePorts = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
};

/** By the UID of the controller; objects without one by their namespace. */
type Managed = "controller" | "strays";

const managed: Readonly<Record<Managed, TermsOf<ObjectView>>> = {
  controller: (object) => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined ? [] : [uid];
  },
  strays: (object) => (controllerOf(object) === undefined ? [object.namespace] : []),
};

/** What any cache shows of its objects' metadata. */
export type Metadata = Pick<Cache<ObjectView, never>, "values" | "changes" | "synced">;

export class Caches {
  readonly #ports: CachePorts;
  readonly #signal: AbortSignal;
  readonly #opened: Promise<void>[] = [];
  #pods: Cache<PodView, Managed | "node"> | undefined;
  #nodes: Cache<NodeView, never> | undefined;
  #leases: Cache<ObjectView, never> | undefined;
  #daemonSets: Cache<DaemonSetView, "namespace"> | undefined;
  #revisions: Cache<RevisionView, Managed> | undefined;
  #jobs: Cache<JobView, never> | undefined;
  #namespaces: Cache<NamespaceView, never> | undefined;
  #serviceAccounts: Cache<ObjectView, never> | undefined;
  #definitions: Cache<ObjectView, never> | undefined;

  /** Everything opened runs until the signal is aborted. */
  constructor(ports: CachePorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  get pods() {
    this.#pods ??= this.open(PODS, parsePod, {
      ...managed,
      node: ({ nodeName }) => (nodeName === "" ? [] : [nodeName]),
    });
    return this.#pods;
  }

  get nodes() {
    this.#nodes ??= this.open(NODES, parseNode, {});
    return this.#nodes;
  }

  get leases() {
    this.#leases ??= this.open(LEASES, parseObjectView, {});
    return this.#leases;
  }

  get daemonSets() {
    this.#daemonSets ??= this.open(DAEMON_SETS, parseDaemonSet, { namespace: ({ namespace }) => [namespace] });
    return this.#daemonSets;
  }

  get revisions() {
    this.#revisions ??= this.open(CONTROLLER_REVISIONS, parseRevision, managed);
    return this.#revisions;
  }

  get jobs() {
    this.#jobs ??= this.open(JOBS, parseJob, {});
    return this.#jobs;
  }

  get namespaces() {
    this.#namespaces ??= this.open(NAMESPACES, parseNamespace, {});
    return this.#namespaces;
  }

  get serviceAccounts() {
    this.#serviceAccounts ??= this.open(SERVICE_ACCOUNTS, parseObjectView, {});
    return this.#serviceAccounts;
  }

  get definitions() {
    this.#definitions ??= this.open(DEFINITIONS, parseObjectView, {});
    return this.#definitions;
  }

  /** The cache that controllers share of a resource, for one who wants only metadata; undefined when none of them needs it. */
  shared(name: string): Metadata | undefined {
    switch (name) {
      case "pods":
        return this.pods;
      case "nodes":
        return this.nodes;
      case "leases.coordination.k8s.io":
        return this.leases;
      case "daemonsets.apps":
        return this.daemonSets;
      case "controllerrevisions.apps":
        return this.revisions;
      case "jobs.batch":
        return this.jobs;
      case "namespaces":
        return this.namespaces;
      case "serviceaccounts":
        return this.serviceAccounts;
      case "customresourcedefinitions.apiextensions.k8s.io":
        return this.definitions;
      default:
        return undefined;
    }
  }

  /** A cache of one's own, for resources that only one controller knows. */
  open<V, I extends string = never>(
    resource: Resource<ApiObject>,
    project: (object: Stored<ApiObject>) => V,
    indexes: Readonly<Record<I, TermsOf<V>>>,
    signal: AbortSignal = this.#signal,
  ): Cache<V, I> {
    const { transport, clock, rand, log } = this.#ports;
    const hooks = { onUnreadable: (message: string) => log.error("an object cannot be read", { message }) };
    const cache = createCache({ transport, clock, rand, resource, project, indexes, hooks });
    void cache.run(signal);
    this.#opened.push(cache.synced);
    return cache;
  }

  /** Resolves when everything opened so far holds its first list; rejects when the process ends before. */
  async synced(): Promise<void> {
    await Promise.all(this.#opened);
  }
}
