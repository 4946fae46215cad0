// What happens to the nodes in a forecast: who gets a pod, who loses it, how many are without one at a time.
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { Json } from "../../core/json/json.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import { isReservedKey } from "../pod-template/template-patch.ts";
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

/** The pods of one node: who they are, what they should be, and the labels and annotations that people see on them. */
type NodePods = {
  readonly uids: readonly string[];
  readonly specs: readonly (Json | undefined)[];
  readonly marks: readonly string[];
};

export class PaperJournal {
  readonly #cluster: PaperCluster;
  readonly #ownerUid: string;
  /** Every pod of the beginning, whoever owned it: what is adopted was there before. */
  readonly #firstUids: ReadonlySet<string>;
  readonly #first: ReadonlyMap<string, NodePods>;
  /** Nodes in the order in which something happened to them. */
  readonly #touched = new Set<string>();
  /** Nodes that have ever had a pod that serves, and of these those that have none now. */
  readonly #served = new Set<string>();
  readonly #idle = new Set<string>();
  /** The nodes that had none, each time somebody looked. */
  readonly #down: (readonly string[])[] = [];
  /** How things stood at the last look: pods by UID, and what is known of each node that has some. */
  #pods: ReadonlyMap<string, DaemonPod> = new Map();
  readonly #last = new Map<string, NodePods>();
  /** The state of the cluster that was taken down last. */
  #noted = -1;

  constructor(cluster: PaperCluster, ownerUid: string) {
    this.#cluster = cluster;
    this.#ownerUid = ownerUid;
    this.#firstUids = new Set(cluster.pods.values().map(({ uid }) => uid));
    this.note();
    this.#first = new Map(this.#last);
    this.#touched.clear();
  }

  /** Takes down how things stand; only nodes whose pods have changed cost more than a glance. */
  note(): void {
    if (this.#noted === this.#cluster.changes) return;
    this.#noted = this.#cluster.changes;
    const pods = this.#podsNow();
    const now = new Map(pods.map((pod) => [pod.uid, pod]));
    const changed = new Set<string>();
    for (const pod of pods) if (this.#pods.get(pod.uid) !== pod) changed.add(pod.node);
    for (const { uid, node } of this.#pods.values()) if (!now.has(uid)) changed.add(node);
    this.#pods = now;
    const byNode = Map.groupBy(
      pods.filter(({ node }) => changed.has(node)),
      ({ node }) => node,
    );
    for (const node of [...changed].sort()) this.#noteNode(node, byNode.get(node) ?? []);
    this.#down.push([...this.#idle]);
  }

  #noteNode(node: string, pods: readonly DaemonPod[]): void {
    const is = pods.length === 0 ? undefined : this.#read(pods);
    if (!isSame(this.#last.get(node), is)) this.#touched.add(node);
    if (is === undefined) this.#last.delete(node);
    else this.#last.set(node, is);
    const isServing = pods.some(({ readySinceMs }) => readySinceMs !== undefined);
    if (isServing) this.#served.add(node);
    if (isServing || !this.#served.has(node)) this.#idle.delete(node);
    else this.#idle.add(node);
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

  #podsNow(): readonly DaemonPod[] {
    const owners = [this.#ownerUid, ...this.#cluster.workloadsOf(this.#ownerUid).map(({ uid }) => uid)];
    return owners.flatMap((uid) => this.#cluster.podsOf(uid));
  }

  #read(pods: readonly DaemonPod[]): NodePods {
    return {
      uids: pods.map(({ uid }) => uid),
      specs: pods.map((pod) => this.#cluster.pods.object(keyOf(pod))?.spec),
      marks: pods.map(marksOf),
    };
  }
}

/** What controllers keep on a pod for themselves is put right without anybody noticing, and is no change of it. */
function marksOf({ labels, annotations }: DaemonPod): string {
  const shown = (texts: Labels) => Object.entries(texts).filter(([key]) => !isReservedKey(key));
  return canonicalJson([Object.fromEntries(shown(labels)), Object.fromEntries(shown(annotations))]);
}

/** What was not touched is the same value: only the others are compared as text. */
function isSame(a: NodePods | undefined, b: NodePods | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const isSameUid = a.uids.length === b.uids.length && a.uids.every((uid, at) => uid === b.uids[at]);
  if (!isSameUid || a.marks.some((mark, at) => mark !== b.marks[at])) return false;
  return a.specs.every((spec, at) => spec === b.specs[at] || isSameText(spec, b.specs[at]));
}

function isSameText(a: Json | undefined, b: Json | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
