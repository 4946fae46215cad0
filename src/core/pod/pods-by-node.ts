// The pods of an object's workloads by the node that each is for, kept up to date by what changed in their lists.

import { eachChange } from "../rollout/list-changes.ts";
import type { DaemonPod } from "./daemon-pod.ts";

/** The pods of one workload, in the order of their names; its key is no other's. */
export type PodGroup = { readonly key: string; readonly pods: readonly DaemonPod[] };

/** A pod with the key of its workload. */
export type KeyedPod = { readonly key: string; readonly pod: DaemonPod };

export type PodsByNode = ReadonlyMap<string, readonly KeyedPod[]>;

export type PodIndex = {
  /** All pods by node, those of one node by key and name; the map holds until the next call. With the nodes whose pods changed. */
  readonly follow: (groups: readonly PodGroup[]) => {
    readonly byNode: PodsByNode;
    readonly touched: ReadonlySet<string>;
  };
};

const NO_PODS: readonly DaemonPod[] = Object.freeze([]);

/** Makes an empty index. */
export function createPodIndex(): PodIndex {
  const byNode = new Map<string, readonly KeyedPod[]>();
  let lists: ReadonlyMap<string, readonly DaemonPod[]> = new Map();
  return {
    follow: (groups) => {
      const came: KeyedPod[] = [];
      const left: DaemonPod[] = [];
      const bring = (key: string, pods: readonly DaemonPod[]) =>
        eachChange(lists.get(key) ?? NO_PODS, pods, (was, now) => {
          if (was !== undefined) left.push(was);
          if (now !== undefined) came.push({ key, pod: now });
        });
      const next = new Map(groups.map(({ key, pods }) => [key, pods]));
      for (const key of lists.keys()) if (!next.has(key)) bring(key, NO_PODS);
      for (const [key, pods] of next) bring(key, pods);
      lists = next;
      // A pod that only went from one list to another leaves before it comes.
      for (const pod of left) take(byNode, pod);
      for (const entry of came) put(byNode, entry);
      return { byNode, touched: new Set([...left, ...came.map(({ pod }) => pod)].map(({ node }) => node)) };
    },
  };
}

function take(byNode: Map<string, readonly KeyedPod[]>, pod: DaemonPod): void {
  const left = (byNode.get(pod.node) ?? []).filter((each) => each.pod !== pod);
  if (left.length > 0) byNode.set(pod.node, left);
  else byNode.delete(pod.node);
}

function put(byNode: Map<string, readonly KeyedPod[]>, entry: KeyedPod): void {
  const there = byNode.get(entry.pod.node);
  byNode.set(entry.pod.node, there === undefined ? [entry] : [...there, entry].sort(byKeyAndName));
}

/** Whichever came first, a node's pods are told in one order. */
function byKeyAndName(a: KeyedPod, b: KeyedPod): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.pod.name < b.pod.name ? -1 : 1;
}
