// The garbage collector of Kubernetes: deletes what has lost all its owners, keeps owners waiting for their dependents on
// foreground deletion, and sets dependents free on orphaning. It watches every resource, also those that come later.
//
// Guarantees: an owner counts as absent only after the server has said so; deletes and patches name the version they judged.
import { type OwnerReference, type Resource, resourceName } from "../../../src/kube/resource.ts";
import type { Run } from "../../../src/runtime/queue/controller.ts";
import type { Source } from "../../../src/runtime/queue/intake.ts";
import type { ApiObject } from "../api-resources.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { discoverAll } from "../discover-all.ts";
import { type ObjectView, parseObjectView } from "../object-view.ts";
import { performWrites } from "../write.ts";
import { decideGarbage, type JudgedOwner } from "./decide-garbage.ts";
import { type Item, isDeletingDependents, isMeant, OwnerGraph, ownerKey } from "./owner-graph.ts";

const WORKERS = 20;
const DISCOVERY = "discovery";
/** Beside the news of custom resource definitions. */
const DISCOVERY_MS = 30_000;
const UNSYNCED_CHECK_MS = 100;
/** A resource that cannot be listed must not keep everything else from being collected. */
const SYNC_PATIENCE_MS = 30_000;
/** Events die by themselves. */
const ignored = new Set(["events", "events.events.k8s.io"]);

type Monitor = {
  readonly resource: Resource<ApiObject>;
  readonly sinceMs: number;
  isSynced: boolean;
  readonly stop: () => void;
};
type Again = { readonly againInMs: number } | undefined;

/** Builds the collector; its keys are UIDs, and one for the discovery of resources. */
export const garbageCollector: BuildModel = (context) => {
  const collector = new GarbageCollector(context);
  return {
    sources: [collector.source],
    reconcile: (key, run) => (key === DISCOVERY ? collector.discover(run) : collector.judge(key, run)),
    ...{ workers: WORKERS, spacingMs: 0 },
  };
};

class GarbageCollector {
  readonly #context: ModelContext;
  readonly #graph = new OwnerGraph();
  readonly #monitors = new Map<string, Monitor>();
  #offer: ((key: string, initial: boolean) => void) | undefined;

  constructor(context: ModelContext) {
    this.#context = context;
    // Asked for here, so that it is open before the controllers start.
    context.caches.definitions.changes(() => this.#wake([DISCOVERY]));
  }

  readonly source: Source = {
    start: (offer) => {
      this.#offer = offer;
      for (const key of [DISCOVERY, ...this.#graph.uids()]) offer(key, true);
      return () => {
        this.#offer = undefined;
      };
    },
  };

  async discover({ signal }: Run): Promise<Again> {
    const resources = await discoverAll(this.#context.client, signal);
    const names = new Set(resources.map(resourceName));
    for (const [name, monitor] of this.#monitors) {
      if (names.has(name)) continue;
      monitor.stop();
      this.#monitors.delete(name);
    }
    for (const resource of resources) {
      const name = resourceName(resource);
      if (!ignored.has(name) && !this.#monitors.has(name)) this.#monitors.set(name, this.#watch(resource));
    }
    return { againInMs: DISCOVERY_MS };
  }

  async judge(uid: string, { signal }: Run): Promise<Again> {
    const item = this.#graph.get(uid);
    if (item === undefined) return undefined;
    // Dependents that nobody has seen yet must not be forgotten.
    if (this.#isFillingUp()) return { againInMs: UNSYNCED_CHECK_MS };
    const owners: JudgedOwner[] = [];
    for (const owner of item.owners) owners.push({ owner, state: await this.#stateOf(owner, item, signal) });
    const writes = decideGarbage({ item, owners, dependents: this.#graph.dependentsOf(uid) });
    for (const write of writes) await performWrites(this.#context.client, [write], signal);
    return undefined;
  }

  #isFillingUp(): boolean {
    const nowMs = this.#context.clock.monotonicMs();
    const isLate = ({ isSynced, sinceMs }: Monitor) => !isSynced && nowMs - sinceMs < SYNC_PATIENCE_MS;
    return [...this.#monitors.values()].some(isLate);
  }

  async #stateOf(owner: OwnerReference, item: Item, signal: AbortSignal): Promise<JudgedOwner["state"]> {
    const known = this.#graph.get(owner.uid);
    if (known !== undefined && isMeant(owner, known, item)) return isDeletingDependents(known) ? "waiting" : "solid";
    const resource = this.#resourceOf(owner);
    // A cluster-wide object cannot be owned by one in a namespace; nobody knows what was meant, so nothing happens.
    if (resource.namespaced && item.namespace === "") return "solid";
    const key = ownerKey(owner, resource.namespaced, item.namespace);
    const found = await this.#context.client.get(resource, key, { signal });
    if (found === undefined || found.metadata.uid !== owner.uid) return "absent";
    return isDeletingDependents(parseObjectView(found)) ? "waiting" : "solid";
  }

  #resourceOf({ apiVersion, kind, name }: OwnerReference): Resource<ApiObject> {
    const [, group = ""] = apiVersion.split("/").reverse();
    for (const { resource } of this.#monitors.values()) {
      if (resource.group === group && resource.kind === kind) return resource;
    }
    throw new Error(`owner "${name}": the server has no kind ${kind} in ${apiVersion}; it is asked again`);
  }

  #watch(resource: Resource<ApiObject>): Monitor {
    const stop = new AbortController();
    const { caches } = this.#context;
    // What other controllers of this process watch need not be watched twice.
    const shared = caches.shared(resourceName(resource));
    const cache = shared ?? caches.open(resource, parseObjectView, {}, stop.signal);
    const end = cache.changes(({ was, now }) => {
      if (now !== undefined) this.#wake(this.#graph.put(itemOf(resource, now)));
      else if (was !== undefined) this.#wake(this.#graph.remove(was.uid));
    });
    const seen = [...cache.values()];
    for (const object of seen) this.#wake(this.#graph.put(itemOf(resource, object)));
    const monitor = {
      ...{ resource, sinceMs: this.#context.clock.monotonicMs(), isSynced: false },
      stop: () => {
        end();
        stop.abort(new Error(`${resourceName(resource)} is not served any more`));
        for (const object of cache.values()) this.#wake(this.#graph.remove(object.uid));
      },
    };
    const { signal } = this.#context;
    signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true, signal: stop.signal });
    cache.synced.then(
      () => {
        monitor.isSynced = true;
      },
      () => undefined,
    );
    return monitor;
  }

  #wake(keys: readonly string[]): void {
    for (const key of keys) this.#offer?.(key, false);
  }
}

function itemOf(resource: Resource<ApiObject>, object: ObjectView): Item {
  const { key, name, namespace, uid, resourceVersion, owners, finalizers, isTerminating } = object;
  return { resource, key, name, namespace, uid, resourceVersion, owners, finalizers, isTerminating };
}
