// The picture of the cluster that decisions are made from, over live caches and the ledger.
// Caveat: it is what the caches hold now. Read it in one go; after an `await` it is another picture.
//
// This folder is what decisions see of the cluster. Beside this file:
//   observe-cluster.ts, cluster-caches.ts, known-resources.ts: the caches, and where objects live
//   seen-objects.ts, sorted-nodes.ts: objects and nodes, our own writes included
//   ledger.ts, settle-doubts.ts: writes that the caches have not shown
//   catch-up.ts: a new leader waits until it sees its predecessor's writes
//   fact-ages.ts, wish-ages.ts: since when nodes and specs are as they are
//   questions.ts, config-texts.ts: what decisions ask beyond the caches

import type { ObjectIdentity } from "../../core/decision/object-identity.ts";
import type { ConfigKey, ConfigText, ImageState, Snapshot } from "../../core/decision/snapshot.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { parseDaemonPod } from "../../core/pod/daemon-pod.ts";
import { parseWorkload } from "../../core/rollout/workload.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import {
  type AnyResource,
  controllerRevisions,
  daemonSets,
  jobs,
  nodes,
  pods,
} from "../../kube/client/built-in-resources.ts";
import type { Clock } from "../../kube/clock.ts";
import { namedKey, resourceName } from "../../kube/resource.ts";
import type { Refusals } from "../perform/refusals.ts";
import { type ClusterCaches, labelTerm, type OwnedIndex, storedObject } from "./cluster-caches.ts";
import { FactAges } from "./fact-ages.ts";
import type { Ledger } from "./ledger.ts";
import { SeenObjects } from "./seen-objects.ts";
import { SortedNodes } from "./sorted-nodes.ts";
import type { WishAges } from "./wish-ages.ts";

export type LiveSnapshotParts = {
  readonly caches: ClusterCaches;
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "wallMs">;
  readonly refusals: Refusals;
  readonly wishes: Pick<WishAges, "aloneSinceMs">;
  readonly imageState: (reference: string) => ImageState;
  readonly configText: (namespace: string, key: ConfigKey) => ConfigText;
};

/** A snapshot that always shows the newest picture. Asking for what no kind says that it reads is a mistake, and throws. */
export function liveSnapshot(parts: LiveSnapshotParts): Snapshot {
  const { caches, ledger, clock, refusals, wishes, imageState, configText } = parts;
  const sorted = new SortedNodes({ resource: resourceName(nodes), cache: caches.nodes, ledger });
  const ages = new FactAges(caches.nodes, clock);
  const seen = <V extends ObjectIdentity>(
    resource: AnyResource,
    cache: Cache<V | undefined, OwnedIndex> | undefined,
    parse: (object: JsonObject) => V,
  ) => (cache === undefined ? undefined : new SeenObjects({ resource: resourceName(resource), cache, ledger, parse }));
  const views = {
    workloads: seen(daemonSets, caches.workloads, parseWorkload),
    pods: seen(pods, caches.pods, parseSentPod),
    jobs: seen(jobs, caches.jobs, storedObject),
    revisions: seen(controllerRevisions, caches.revisions, storedObject),
  };
  const others = (kind: string) => {
    if (kind === jobs.kind) return { seen: read(views.jobs, "jobs"), cache: caches.jobs };
    if (kind === controllerRevisions.kind)
      return { seen: read(views.revisions, "controllerrevisions"), cache: caches.revisions };
    throw new Error(`nobody caches objects of kind ${kind}; see the sources in kind.ts`);
  };
  return {
    get nodes() {
      return sorted.list();
    },
    factsSinceMs: (node, labelKeys) => ages.sinceMs(node, labelKeys),
    aloneSinceMs: (object, node, labelKeys) => wishes.aloneSinceMs(object, node, ages.relabelledMs(node, labelKeys)),
    refusal: (uid, kind, name) => refusals.get(uid, kind, name),
    workloadsOf: (uid) => read(views.workloads, "daemonsets").ofOwner(uid),
    workloadsLabelled(namespace, key, value) {
      const found = caches.workloads?.by("label", labelTerm(namespace, key, value)) ?? [];
      const fits = (one: ObjectIdentity) => one.namespace === namespace && one.labels[key] === value;
      return read(views.workloads, "daemonsets").among(found, fits);
    },
    workloadNamed: (namespace, name) => read(views.workloads, "daemonsets").get(namedKey(name, namespace)),
    podsOf: (uid) => read(views.pods, "pods").ofOwner(uid),
    ownedBy: (uid, kind) => others(kind).seen.ofOwner(uid),
    objectNamed: (namespace, name, kind) => others(kind).seen.get(namedKey(name, namespace)),
    strayPods: (namespace) => strayIn(namespace, read(views.pods, "pods"), caches.pods),
    strays: (namespace, kind) => strayIn(namespace, others(kind).seen, others(kind).cache),
    tasks: () => read(views.jobs, "jobs").among(caches.jobs?.values() ?? [], () => true),
    image: imageState,
    configText,
    isTerminating: (namespace) => caches.namespaces.get(namespace)?.isTerminating === true,
  };
}

function strayIn<V extends ObjectIdentity>(
  namespace: string,
  seen: SeenObjects<V>,
  cache: Cache<V | undefined, OwnedIndex> | undefined,
): readonly V[] {
  const isStray = (one: ObjectIdentity) => one.controllerUid === undefined && one.namespace === namespace;
  return seen.among(cache?.by("stray", namespace) ?? [], isStray);
}

function read<V extends ObjectIdentity>(view: SeenObjects<V> | undefined, source: string): SeenObjects<V> {
  if (view !== undefined) return view;
  throw new Error(`a decision reads "${source}", which its kind does not name; add it to the kind's reads`);
}

/** A pod that was sent and not answered has no status yet, and will begin like all others. */
function parseSentPod(object: JsonObject) {
  return parseDaemonPod("status" in object ? object : { ...object, status: { phase: "Pending" } });
}
