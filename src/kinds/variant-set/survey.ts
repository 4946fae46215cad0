// How every node stands towards a set: those at rest are only counted, and stay counted until something about them changes; those that are
// not become the berths that fitting decides about.

import type { NodeFacts } from "../../core/node/node-facts.ts";
import { availableFromMs, type DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { KeyedPod, PodGroup, PodsByNode } from "../../core/pod/pods-by-node.ts";
import type { Berth, BerthPod } from "../../core/rollout/berth.ts";
import { REVISION_HASH_LABEL } from "../../core/rollout/workload-revision.ts";
import type { Observed, Rename, SeenCell } from "./observe.ts";
import type { Resolved } from "./resolver.ts";
import { bindingOn } from "./set-labels.ts";

/** A node of which something has to be told. */
export type IdleNode = { readonly facts: NodeFacts; readonly resolved: Resolved };

/** A node that is not at rest. */
export type SeenNode = IdleNode & {
  readonly berth: Berth<DaemonPod>;
  /** The key that its label should have by now: its variant got another name. */
  readonly relabel: string | undefined;
};

export type CellCounts = { nodes: number; bound: number; ready: number; updated: number };

export type Fleet = {
  /** The nodes that are not at rest, in the order of their names. */
  readonly restless: readonly SeenNode[];
  /** By key. */
  readonly counts: ReadonlyMap<string, CellCounts>;
  /** Nodes that should run something. */
  readonly nodeCount: number;
  /** Nodes that run what they should and that nothing is the matter with. */
  readonly fitted: number;
  /** Nodes that get nothing and have nothing although they are in scope, in the order of their names. */
  readonly idle: readonly IdleNode[];
  /** Nodes that are out of scope and have nothing. */
  readonly bystanders: number;
  readonly podsByNode: PodsByNode;
};

/** How a node rests: the key of the cell that it should be in and is in, or the word for one that has not to do with the set. */
export type Rest = string;

/** No key has a blank in it. */
const BYSTANDER = "a bystander";
const NO_PODS: readonly KeyedPod[] = Object.freeze([]);

/** Looks at every node; nobody rests in a cell that is behind, since its DaemonSet is not yet what its nodes should run. */
export function surveyFleet(observed: Observed, behind: ReadonlySet<string>, nowMs: number): Fleet {
  const { known, snapshot, cells } = observed;
  const ground: Ground = { observed, behind, nowMs };
  const { counts, open, podsByNode } = known.fleet.nodes({
    ...{ nodes: snapshot.nodes, groups: podGroups(observed), picture: cellsText(observed, behind) },
    classOf: (node, pods) => restOf(standOf(node, pods, observed), ground),
  });
  const tallies = new Map([...cells.keys()].map((key) => [key, { nodes: 0, bound: 0, ready: 0, updated: 0 }]));
  const stands = open.map((node) => standOf(node, podsByNode, observed));
  const [idle, standing] = [stands.filter(isIdle), stands.filter((stand) => !isIdle(stand))];
  const restless = standing.map((stand) => seenNode(stand, observed));
  for (const seen of restless) countRestless(seen, tallies, ground);
  for (const [key, nodes] of counts) countResting(tallies.get(key), nodes);
  const bystanders = counts.get(BYSTANDER) ?? 0;
  const fitted = [...counts.values()].reduce((sum, nodes) => sum + nodes, 0) - bystanders;
  const asked = restless.filter(({ berth }) => isAsked(berth)).length;
  return { restless, counts: tallies, nodeCount: fitted + asked, fitted, idle, bystanders, podsByNode };
}

type Ground = { readonly observed: Observed; readonly behind: ReadonlySet<string>; readonly nowMs: number };

/** What a node gets, what it is bound to, and which pods of the set are on it. */
type Stand = {
  readonly facts: NodeFacts;
  readonly resolved: Resolved;
  /** What its label stands for. */
  readonly boundTo: string | undefined;
  readonly rename: Rename | undefined;
  readonly pods: readonly KeyedPod[];
};

function standOf(facts: NodeFacts, podsByNode: PodsByNode, { known, renames }: Observed): Stand {
  const label = bindingOn(facts.labels, known.set);
  const rename = label === undefined ? undefined : renames.get(label);
  const pods = podsByNode.get(facts.name) ?? NO_PODS;
  return { facts, resolved: known.resolve(facts), boundTo: rename?.key ?? label, rename, pods };
}

/** How a node rests; undefined if it does not. */
function restOf(stand: Stand, { observed: { cells }, behind, nowMs }: Ground): Rest | undefined {
  const { resolved, boundTo, rename, pods } = stand;
  if (isIdle(stand)) return resolved.outcome.isExcluded && isUntold(resolved) ? BYSTANDER : undefined;
  if (boundTo === undefined || rename !== undefined || behind.has(boundTo) || !cells.has(boundTo)) return undefined;
  const isRight = resolved.wish.kind === "workload" && resolved.wish.key === boundTo;
  return isRight && isAtRest(pods, boundTo, cells, nowMs) ? boundTo : undefined;
}

function isIdle({ resolved, boundTo, pods }: Stand): boolean {
  return resolved.wish.kind !== "workload" && boundTo === undefined && pods.length === 0;
}

/** Nobody is told of nodes that the set is not for. */
function isUntold({ outcome: { reason } }: Resolved): boolean {
  return reason === "NotSelected" || reason === "NodeLeaving";
}

function seenNode(stand: Stand, observed: Observed): SeenNode {
  const { facts, resolved, rename } = stand;
  const relabel = rename?.isReady === true ? rename.key : undefined;
  return { facts, resolved, berth: berthOf(stand, observed), relabel };
}

function countResting(tally: CellCounts | undefined, nodes: number): void {
  if (tally === undefined) return;
  tally.nodes += nodes;
  tally.bound += nodes;
  tally.ready += nodes;
  tally.updated += nodes;
}

function countRestless(
  { resolved: { wish }, berth: { boundTo, pods } }: SeenNode,
  tallies: ReadonlyMap<string, CellCounts>,
  { behind, nowMs }: Ground,
): void {
  const wanted = wish.kind === "workload" ? tallies.get(wish.key) : undefined;
  if (wanted !== undefined) wanted.nodes += 1;
  const bound = boundTo === undefined ? undefined : tallies.get(boundTo);
  if (boundTo === undefined || bound === undefined) return;
  const own = pods.filter((pod) => pod.key === boundTo);
  bound.bound += 1;
  bound.ready += own.some((pod) => isAvailable(pod, nowMs)) ? 1 : 0;
  bound.updated += !behind.has(boundTo) && own.some((pod) => pod.isCurrent) ? 1 : 0;
}

function podGroups({ cells, snapshot }: Observed): readonly PodGroup[] {
  return [...cells.values()].flatMap(({ key, workload }) =>
    workload === undefined ? [] : [{ key, pods: snapshot.podsOf(workload.uid) }],
  );
}

/** The node should run something. */
function isAsked({ wish, boundTo }: Berth<DaemonPod>): boolean {
  return wish.kind === "workload" || (wish.kind === "same" && boundTo !== undefined);
}

/** All that tells nodes at rest besides themselves and their pods: cells with their templates, and labels that stand for others. */
function cellsText({ cells, renames }: Observed, behind: ReadonlySet<string>): string {
  const each = [...cells].map(([key, { currentHashes }]) => [key, behind.has(key), ...(currentHashes ?? ["?"])]);
  return JSON.stringify([each, [...renames].map(([label, { key }]) => [label, key])]);
}

/** Exactly one pod, of the right cell, current and available: what nearly every node has nearly always. */
function isAtRest(
  pods: readonly KeyedPod[],
  boundTo: string,
  cells: ReadonlyMap<string, SeenCell>,
  nowMs: number,
): boolean {
  const [only] = pods;
  if (only === undefined || pods.length !== 1 || only.key !== boundTo) return false;
  const hashes = cells.get(only.key)?.currentHashes;
  const isCurrent = hashes === undefined || hashes.has(only.pod.labels[REVISION_HASH_LABEL] ?? "");
  return isCurrent && (availableFromMs(only.pod, 0) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

function berthOf({ facts, resolved, boundTo, pods }: Stand, observed: Observed): Berth<DaemonPod> {
  return {
    ...{
      node: facts.name,
      wish: resolved.wish,
      boundTo,
      areSomeUnseen: boundTo !== undefined && observed.cells.get(boundTo)?.hasUnseenPods === true,
      isNodeReady: facts.ready === true,
      refusal: observed.snapshot.refusal?.(observed.stored.uid, "Node", facts.name),
    },
    wishSinceMs: observed.snapshot.factsSinceMs(facts.name, observed.known.labelKeys),
    pods: pods.map(({ key, pod }): BerthPod<DaemonPod> => {
      const hashes = observed.cells.get(key)?.currentHashes;
      const isCurrent = hashes === undefined || hashes.has(pod.labels[REVISION_HASH_LABEL] ?? "");
      return { pod, key, isCurrent, isLeaving: pod.isLeaving, availableFromMs: availableFromMs(pod, 0) };
    }),
  };
}

function isAvailable({ availableFromMs: fromMs, isLeaving }: BerthPod<DaemonPod>, nowMs: number): boolean {
  return !isLeaving && (fromMs ?? Number.POSITIVE_INFINITY) <= nowMs;
}
