// What one process knows of the cluster: its caches, its own writes that they have not shown yet, and the two together as a snapshot.
import type { ConfigKey, ConfigText, ImageState, Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { resourceName } from "../../kube/resource.ts";
import { Refusals } from "../perform/refusals.ts";
import {
  type CachePorts,
  type ClusterCaches,
  createClusterCaches,
  type ObjectIndex,
  storedObject,
} from "./cluster-caches.ts";
import { resourceOfKind } from "./known-resources.ts";
import { Ledger, type LedgerLimits, type Sight } from "./ledger.ts";
import { liveSnapshot } from "./live-snapshot.ts";
import { SeenObjects } from "./seen-objects.ts";
import { WishAges } from "./wish-ages.ts";

export type ClusterView = {
  readonly caches: ClusterCaches;
  readonly ledger: Ledger;
  readonly refusals: Refusals;
  readonly wishes: WishAges;
  readonly snapshot: Snapshot;
  /** A kind's own objects: as the cache holds them, and as decisions should see them. */
  readonly ofKind: (kind: Kind) => KindView;
};

export type KindView = {
  readonly cached: Cache<StoredObject, ObjectIndex>;
  readonly seen: SeenObjects<StoredObject>;
};

export type ClusterViewOptions = {
  readonly kinds: readonly Kind[];
  readonly imageState: (reference: string) => ImageState;
  readonly configText: (namespace: string, key: ConfigKey) => ConfigText;
  readonly ledgerLimits: LedgerLimits;
};

/** Builds the view; nothing is sent before its caches run. */
export function observeCluster(ports: CachePorts, options: ClusterViewOptions): ClusterView {
  const { kinds, imageState, configText, ledgerLimits: limits } = options;
  const caches = createClusterCaches(ports, kinds);
  const ledger = new Ledger({
    ...{ clock: ports.clock, limits },
    versionOf: (resource) => caches.all.get(resource)?.resourceVersion ?? "",
    sightOf: (resource, key) => sightIn(caches.all.get(resource)?.get(key)),
  });
  // Before anybody else listens: who is woken by a change must not find a write that it has just shown.
  for (const [resource, cache] of caches.all) {
    cache.changes(({ key, now }) => ledger.shown(resource, key, sightIn(now)));
  }
  const views = new Map(
    kinds.map((kind) => {
      const resource = resourceName(resourceOfKind(kind));
      const cached = caches.objects.get(resource);
      if (cached === undefined) throw new Error(`there is no cache of ${resource}`);
      return [kind, { cached, seen: new SeenObjects({ resource, cache: cached, ledger, parse: storedObject }) }];
    }),
  );
  const refusals = new Refusals(caches.nodes);
  const objects = [...views].map(([kind, { cached }]) => [kind, cached] as const);
  const wishes = new WishAges({ objects, pods: caches.pods, clock: ports.clock });
  return {
    ...{ caches, ledger, refusals, wishes },
    snapshot: liveSnapshot({ caches, ledger, clock: ports.clock, refusals, wishes, imageState, configText }),
    ofKind: (kind) => {
      const view = views.get(kind);
      if (view === undefined) throw new Error(`kind ${kind.kind} was not handed in`);
      return view;
    },
  };
}

function sightIn(value: unknown): Sight | undefined {
  return isSight(value) ? value : undefined;
}

function isSight(value: unknown): value is Sight {
  return typeof value === "object" && value !== null && "uid" in value && "isLeaving" in value && "labels" in value;
}
