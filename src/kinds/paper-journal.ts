// What happens to the nodes in a forecast: who gets a pod, who loses it, how many are without one at a time.
import { canonicalJson } from "../core/canonical-json.ts";
import type { DaemonPod } from "../core/daemon-pod.ts";
import type { Json } from "../core/json.ts";
import type { PaperCluster } from "./paper-cluster.ts";
import { keyOf } from "./paper-shelf.ts";

export type PodChanges = {
  /** Nodes that get a pod, have it replaced, have it changed in place, or lose it; in the order in which it happens. */
  readonly gained: readonly string[];
  readonly replaced: readonly string[];
  readonly changed: readonly string[];
  readonly lost: readonly string[];
  readonly untouched: number;
  /** The most nodes that are without a pod that serves at one time, of those that have one before and after. */
  readonly unavailableMax: number;
};

/** The pods of one node: who they are, and what they should be. */
type NodePods = { readonly uids: readonly string[]; readonly specs: readonly (Json | undefined)[] };

export class PaperJournal {
  readonly #cluster: PaperCluster;
  readonly #ownerUid: string;
  /** Every pod of the beginning, whoever owned it: what is adopted was there before. */
  readonly #firstUids: ReadonlySet<string>;
  readonly #first: ReadonlyMap<string, NodePods>;
  /** Nodes in the order in which something happened to them. */
  readonly #touched = new Set<string>();
  /** Nodes that have ever had a pod that serves. */
  readonly #served = new Set<string>();
  /** The nodes of those that had none, each time somebody looked. */
  readonly #down: (readonly string[])[] = [];
  #last: ReadonlyMap<string, NodePods> = new Map();
  /** The state of the cluster that was taken down last. */
  #noted = -1;

  constructor(cluster: PaperCluster, ownerUid: string) {
    this.#cluster = cluster;
    this.#ownerUid = ownerUid;
    this.#firstUids = new Set(cluster.pods.values().map(({ uid }) => uid));
    this.note();
    this.#first = this.#last;
    this.#touched.clear();
  }

  /** Takes down how things stand. */
  note(): void {
    if (this.#noted === this.#cluster.changes) return;
    this.#noted = this.#cluster.changes;
    const byNode = Map.groupBy(this.#pods(), (pod) => pod.node);
    const now = new Map([...byNode].map(([node, pods]) => [node, this.#read(pods)]));
    for (const node of [...new Set([...this.#last.keys(), ...now.keys()])].sort()) {
      if (!isSame(this.#last.get(node), now.get(node))) this.#touched.add(node);
    }
    const isServing = (node: string) => byNode.get(node)?.some((pod) => pod.readySinceMs !== undefined) ?? false;
    for (const node of now.keys()) if (isServing(node)) this.#served.add(node);
    this.#down.push([...this.#served].filter((node) => !isServing(node)));
    this.#last = now;
  }

  /** The sum of everything since the beginning. */
  sum(): PodChanges {
    const ends = [...this.#touched].map((node) => ({ node, was: this.#first.get(node), is: this.#last.get(node) }));
    const pick = (fits: (end: (typeof ends)[number]) => boolean) => ends.filter(fits).map(({ node }) => node);
    const isOld = ({ uids }: NodePods) => uids.every((uid) => this.#firstUids.has(uid));
    const gained = pick(({ was, is }) => is !== undefined && was === undefined && !isOld(is));
    const replaced = pick(({ was, is }) => is !== undefined && was !== undefined && !isOld(is));
    const changed = pick(({ was, is }) => is !== undefined && was !== undefined && isOld(is) && !isSame(was, is));
    const lost = pick(({ is }) => is === undefined);
    const peak = this.#down.map((nodes) => nodes.filter((node) => this.#last.has(node)).length);
    const moved = gained.length + replaced.length + changed.length;
    return { gained, replaced, changed, lost, untouched: this.#last.size - moved, unavailableMax: Math.max(...peak) };
  }

  #pods(): readonly DaemonPod[] {
    const owners = [this.#ownerUid, ...this.#cluster.workloadsOf(this.#ownerUid).map(({ uid }) => uid)];
    return owners.flatMap((uid) => this.#cluster.podsOf(uid));
  }

  #read(pods: readonly DaemonPod[]): NodePods {
    return { uids: pods.map(({ uid }) => uid), specs: pods.map((pod) => this.#cluster.pods.object(keyOf(pod))?.spec) };
  }
}

/** What was not touched is the same value: only the others are compared as text. */
function isSame(a: NodePods | undefined, b: NodePods | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const isSameUid = a.uids.length === b.uids.length && a.uids.every((uid, at) => uid === b.uids[at]);
  return isSameUid && a.specs.every((spec, at) => spec === b.specs[at] || isSameText(spec, b.specs[at]));
}

function isSameText(a: Json | undefined, b: Json | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
