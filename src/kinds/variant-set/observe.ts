// What of the cluster concerns one set: its cells, with the DaemonSet of each and the pods by node. Deciding, the status and explaining
// read this and what `survey.ts` makes of it, and nothing else.
import { isNarrowed, type WantedWorkload } from "../../core/bring-workload.ts";
import type { Labels } from "../../core/label-requirement.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import { textsIn } from "../../core/object-identity.ts";
import { quoted } from "../../core/shown.ts";
import type { Snapshot, StoredObject } from "../../core/snapshot.ts";
import type { Workload } from "../../core/workload.ts";
import { equivalentRevisions } from "../../core/workload-revision.ts";
import { objectAt } from "../json-parts.ts";
import type { Cell } from "./cell.ts";
import type { CellPod, KnownSet, Memory } from "./memory.ts";
import { KEY_LABEL, WORKLOAD_LABEL } from "./render.ts";

/** A cell that nodes want, or a DaemonSet that is left of one. */
export type SeenCell = {
  readonly key: string;
  /** Undefined when no node wants it. */
  readonly cell: Cell | undefined;
  readonly wanted: WantedWorkload | undefined;
  readonly workload: Workload | undefined;
  /** Why it cannot have its DaemonSet: somebody else's has the name. */
  readonly clash: string | undefined;
  /** Pods of the DaemonSet go only to nodes that are bound to it. */
  readonly isNarrow: boolean;
  /** The hash of the revision of its template, once that is there. */
  readonly currentHash: string | undefined;
  /** Hashes of pods that may stay as they are; undefined while nobody can tell. */
  readonly currentHashes: ReadonlySet<string> | undefined;
};

export type Observed = {
  readonly known: KnownSet;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  /** By key, in the order of keys. */
  readonly cells: ReadonlyMap<string, SeenCell>;
  readonly podsByNode: ReadonlyMap<string, readonly CellPod[]>;
};

/** Looks at the cluster with one set in mind. */
export function observeSet(known: KnownSet, stored: StoredObject, snapshot: Snapshot, memory: Memory): Observed {
  const cells = new Map<string, SeenCell>();
  const existing = new Map(snapshot.workloadsOf(stored.uid).map((one) => [keyOfWorkload(one, known), one]));
  const wantedCells = cellsOf(known, snapshot.nodes);
  for (const key of [...new Set([...existing.keys(), ...wantedCells.keys()])].sort()) {
    cells.set(key, seenCell(key, { known, stored, snapshot, memory, existing, wantedCells }));
  }
  const lists = [...cells.values()].flatMap(({ key, workload }) =>
    workload === undefined ? [] : [{ key, pods: snapshot.podsOf(workload.uid) }],
  );
  const podsByNode = known.podsByNode(lists);
  return { known, stored, snapshot, cells, podsByNode };
}

/** The distinct cells that nodes get. */
function cellsOf({ fleet }: KnownSet, nodes: readonly NodeFacts[]): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { cell } of fleet.resolveAll(nodes).distinct) {
    if (cell !== undefined) cells.set(cell.key, cell);
  }
  return cells;
}

type Ground = {
  readonly known: KnownSet;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  readonly memory: Memory;
  readonly existing: ReadonlyMap<string, Workload>;
  readonly wantedCells: ReadonlyMap<string, Cell>;
};

function seenCell(key: string, ground: Ground): SeenCell {
  const { known, stored, snapshot, memory, existing, wantedCells } = ground;
  const { workload, clash } = workloadOf(key, ground);
  const cell = named(wantedCells.get(key), workload);
  const wanted = cell && known.wanted(cell, { ownerUid: stored.uid, adoptedSelector: adoptedSelector(cell, workload) });
  const revisions = workload === undefined ? [] : snapshot.ownedBy(workload.uid, "ControllerRevision");
  const currentHash = workload && memory.revisions.currentHash(workload, revisions);
  return {
    ...{ key, cell, wanted, workload, clash, currentHash },
    isNarrow: workload === undefined || existing.has(key) || wanted === undefined || isNarrowed(wanted, workload),
    currentHashes: workload && currentHash ? new Set([currentHash, ...equivalentRevisions(workload)]) : undefined,
  };
}

/** The DaemonSet of a cell: ours, or one that nobody controls and that has its name. */
function workloadOf(
  key: string,
  { existing, wantedCells, stored, snapshot }: Ground,
): Pick<SeenCell, "workload" | "clash"> {
  const own = existing.get(key);
  const cell = wantedCells.get(key);
  if (own !== undefined || cell === undefined) return { workload: own, clash: undefined };
  const found = snapshot.workloadNamed(stored.namespace, cell.name);
  if (found?.controllerUid === undefined) return { workload: found, clash: undefined };
  const whose =
    found.controllerUid === stored.uid ? "is that of another variant of this set" : "belongs to another object";
  const clash = `DaemonSet ${quoted(cell.name)} ${whose}; choose another daemonSetName, or remove that DaemonSet`;
  return { workload: undefined, clash };
}

/** The name of a DaemonSet is never changed, whatever it would be called today: its pods would be made anew. */
function named(cell: Cell | undefined, workload: Workload | undefined): Cell | undefined {
  if (cell === undefined || workload === undefined || workload.name === cell.name) return cell;
  return { ...cell, name: workload.name };
}

/** A selector cannot be changed: a DaemonSet that was there before us keeps its own. */
function adoptedSelector({ name }: Cell, workload: Workload | undefined): Labels | undefined {
  if (workload === undefined) return undefined;
  const labels = textsIn(objectAt(objectAt(workload.spec, "selector"), "matchLabels"));
  return labels[WORKLOAD_LABEL] === name ? undefined : labels;
}

/** Its label says it, else the nodes that it selects do. */
function keyOfWorkload({ labels, spec, name }: Workload, { set }: KnownSet): string {
  const podSpec = objectAt(objectAt(spec, "template"), "spec");
  return labels[KEY_LABEL] ?? textsIn(podSpec.nodeSelector)[set.nodeLabel] ?? name;
}
