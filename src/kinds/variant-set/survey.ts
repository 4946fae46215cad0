// How every node stands towards a set: those at rest are only counted, at the price of a few look-ups, and those that are not become the
// berths that fitting decides about.
import type { Berth, BerthPod, Wish } from "../../core/berth.ts";
import { availableFromMs, type DaemonPod } from "../../core/daemon-pod.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import { REVISION_HASH_LABEL } from "../../core/workload-revision.ts";
import type { CellPod } from "./memory.ts";
import type { Observed, SeenCell } from "./observe.ts";
import type { Resolved } from "./resolver.ts";
import { bindingOn } from "./set-labels.ts";

/** A node that is not at rest, or of which more has to be told. */
export type SeenNode = {
  readonly facts: NodeFacts;
  readonly resolved: Resolved;
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
  /** Nodes that get nothing and have nothing, by what they were resolved to. */
  readonly idle: ReadonlyMap<Resolved, readonly NodeFacts[]>;
};

/** Looks at every node; nobody rests in a cell that is behind, since its DaemonSet is not yet what its nodes should run. */
export function surveyFleet(observed: Observed, behind: ReadonlySet<string>, nowMs: number): Fleet {
  const { known, snapshot, cells, podsByNode } = observed;
  const { nodes } = snapshot;
  const { all: answers } = known.fleet.resolveAll(nodes);
  const rest = known.fleet.restIn(podsByNode, cellsText(cells, behind));
  const tallies = new Map([...cells.keys()].map((key, number) => [key, tally(number)]));
  const byNumber = [...tallies.values()];
  const survey: Survey = { observed, behind, nowMs, tallies, restless: [], idle: new Map() };
  let asked = 0;
  let fitted = 0;
  for (let place = 0; place < nodes.length; place++) {
    const [facts, resolved] = [nodes[place], answers[place]];
    if (facts === undefined || resolved === undefined) continue;
    const known = byNumber[rest.cellAt(place, facts) ?? -1];
    const resting = known ?? lookAt(facts, resolved, survey);
    if (resting === undefined) continue;
    if (known === undefined) rest.note(place, facts, resting.number);
    resting.nodes += 1;
    resting.bound += 1;
    resting.ready += 1;
    resting.updated += 1;
    fitted += 1;
  }
  for (const { berth } of survey.restless) if (isAsked(berth)) asked += 1;
  return { restless: survey.restless, counts: tallies, nodeCount: fitted + asked, fitted, idle: survey.idle };
}

type Tally = CellCounts & { readonly number: number };
type Survey = {
  readonly observed: Observed;
  readonly behind: ReadonlySet<string>;
  readonly nowMs: number;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly restless: SeenNode[];
  readonly idle: Map<Resolved, NodeFacts[]>;
};

/** The tally of the cell in which a node rests; any other node is noted as restless or idle. */
function lookAt(
  facts: NodeFacts,
  resolved: Resolved,
  { observed, behind, nowMs, tallies, restless, idle }: Survey,
): Tally | undefined {
  const { known, cells, podsByNode, renames } = observed;
  const { wish } = resolved;
  const label = bindingOn(facts.labels, known.set);
  const rename = label === undefined ? undefined : renames.get(label);
  const boundTo = rename?.key ?? label;
  const pods = podsByNode.get(facts.name) ?? NO_PODS;
  const bound = boundTo === undefined ? undefined : tallies.get(boundTo);
  const wanted = wish.kind === "workload" ? tallies.get(wish.key) : undefined;
  const isBehind = boundTo !== undefined && behind.has(boundTo);
  const isRight = wanted !== undefined && wanted === bound && rename === undefined;
  if (isRight && !isBehind && isAtRest(pods, boundTo, cells, nowMs)) return wanted;
  if (wish.kind !== "workload" && boundTo === undefined && pods.length === 0) {
    note(idle, resolved, facts);
    return undefined;
  }
  const berth = berthOf(facts, { resolved, boundTo, pods, observed });
  const own = berth.pods.filter((pod) => pod.key === boundTo);
  if (wanted !== undefined) wanted.nodes += 1;
  if (bound !== undefined) {
    bound.bound += 1;
    bound.ready += own.some((pod) => isAvailable(pod, nowMs)) ? 1 : 0;
    bound.updated += !isBehind && own.some((pod) => pod.isCurrent) ? 1 : 0;
  }
  restless.push({ facts, resolved, berth, relabel: rename?.isReady === true ? rename.key : undefined });
  return undefined;
}

const NO_PODS: readonly CellPod[] = Object.freeze([]);

function tally(number: number): Tally {
  return { number, nodes: 0, bound: 0, ready: 0, updated: 0 };
}

/** The node should run something. */
function isAsked({ wish, boundTo }: Berth<DaemonPod>): boolean {
  return wish.kind === "workload" || (wish.kind === "same" && boundTo !== undefined);
}

/** What tells whether pods are still as their templates say. */
function cellsText(cells: Observed["cells"], behind: ReadonlySet<string>): string {
  return JSON.stringify(
    [...cells].map(([key, { currentHashes }]) => [key, behind.has(key), ...(currentHashes ?? ["?"])]),
  );
}

/** Exactly one pod, of the right cell, current and available: what nearly every node has nearly always. */
function isAtRest(
  pods: readonly CellPod[],
  boundTo: string | undefined,
  cells: ReadonlyMap<string, SeenCell>,
  nowMs: number,
): boolean {
  const [only] = pods;
  if (only === undefined || pods.length !== 1 || only.key !== boundTo) return false;
  const hashes = cells.get(only.key)?.currentHashes;
  const isCurrent = hashes === undefined || hashes.has(only.pod.labels[REVISION_HASH_LABEL] ?? "");
  return isCurrent && (availableFromMs(only.pod, 0) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

type BerthGround = {
  readonly resolved: Resolved;
  readonly boundTo: string | undefined;
  readonly pods: readonly CellPod[];
  readonly observed: Observed;
};

function berthOf(facts: NodeFacts, { resolved, boundTo, pods, observed }: BerthGround): Berth<DaemonPod> {
  return {
    ...{
      node: facts.name,
      wish: wishOf(resolved, boundTo, pods, observed),
      boundTo,
      isNodeReady: facts.ready === true,
    },
    wishSinceMs: observed.snapshot.factsSinceMs(facts.name),
    pods: pods.map(({ key, pod }): BerthPod<DaemonPod> => {
      const hashes = observed.cells.get(key)?.currentHashes;
      const isCurrent = hashes === undefined || hashes.has(pod.labels[REVISION_HASH_LABEL] ?? "");
      return { pod, key, isCurrent, isLeaving: pod.isLeaving, availableFromMs: availableFromMs(pod, 0) };
    }),
  };
}

/**
 * A watch may be deaf without anybody knowing, and then a pod that is there is not seen. A node whose pod its DaemonSet may still count
 * stays where it is until the pod is seen, or the count is lower: else it would be taken for empty, and bound beside that pod.
 */
function wishOf({ wish }: Resolved, boundTo: string | undefined, pods: readonly CellPod[], { cells }: Observed): Wish {
  const isEmpty = boundTo !== undefined && !pods.some(({ key }) => key === boundTo);
  return isEmpty && cells.get(boundTo)?.hasUnseenPods === true ? STAYS : wish;
}

const STAYS: Wish = Object.freeze({ kind: "same" });

function isAvailable({ availableFromMs: fromMs, isLeaving }: BerthPod<DaemonPod>, nowMs: number): boolean {
  return !isLeaving && (fromMs ?? Number.POSITIVE_INFINITY) <= nowMs;
}

function note(idle: Map<Resolved, NodeFacts[]>, resolved: Resolved, facts: NodeFacts): void {
  const there = idle.get(resolved);
  if (there === undefined) idle.set(resolved, [facts]);
  else there.push(facts);
}
