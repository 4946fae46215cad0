// What of the cluster concerns one set: its cells, with the DaemonSet of each. Deciding, the status and explaining read this and what
// `survey.ts` makes of it, and nothing else.

import { textsIn } from "../../core/decision/object-identity.ts";
import type { Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { isNarrowed, type WantedWorkload } from "../../core/rollout/bring-workload.ts";
import { hasUnseenPods, type Workload } from "../../core/rollout/workload.ts";
import { equivalentRevisions } from "../../core/rollout/workload-revision.ts";
import { quoted } from "../../core/values/shown.ts";
import { objectAt } from "../schema/json-parts.ts";
import type { Cell } from "./cell.ts";
import type { KnownSet, Memory } from "./memory.ts";
import { assignWorkloads, copyKey, selectedKeys } from "./own-workloads.ts";
import { WORKLOAD_LABEL } from "./render.ts";
import { bindingOn } from "./set-labels.ts";

/** A cell that nodes want, or a DaemonSet that is left of one. */
export type SeenCell = {
  readonly key: string;
  /** Undefined when no node wants it. */
  readonly cell: Cell | undefined;
  readonly wanted: WantedWorkload | undefined;
  readonly workload: Workload | undefined;
  /** Why it cannot have its DaemonSet: somebody else's has the name. */
  readonly clash: string | undefined;
  /** Why it must wait for its DaemonSet: another one still selects nodes by its key. */
  readonly wait: string | undefined;
  /** The DaemonSet that this one is a copy of. */
  readonly original: string | undefined;
  /** Its controller counts more pods than we see: our picture of pods is behind. */
  readonly hasUnseenPods: boolean;
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
  /** Values of the node label that stand for another key, since their variant got another name: by value, what they stand for. */
  readonly renames: ReadonlyMap<string, Rename>;
};

export type Rename = {
  readonly key: string;
  /** The DaemonSet selects nodes by the new value too, and its controller knows: nodes may be relabelled. */
  readonly isReady: boolean;
};

/** Looks at the cluster with one set in mind. */
export function observeSet(known: KnownSet, stored: StoredObject, snapshot: Snapshot, memory: Memory): Observed {
  const cells = new Map<string, SeenCell>();
  const wantedCells = cellsOf(known, snapshot.nodes);
  const { nodeLabel } = known.set;
  const { byKey: existing, copies } = assignWorkloads(snapshot.workloadsOf(stored.uid), wantedCells, nodeLabel);
  const renames = renamesOf(existing, nodeLabel);
  const claims = nameClaims(existing, wantedCells);
  const ground: Ground = { known, stored, snapshot, memory, existing, wantedCells, claims, renames };
  for (const key of [...new Set([...existing.keys(), ...wantedCells.keys()])].sort()) {
    cells.set(key, seenCell(key, ground));
  }
  for (const { workload, original } of copies) {
    const key = copyKey(workload);
    const seen = { key, cell: undefined, wanted: undefined, workload, clash: undefined, wait: undefined };
    cells.set(key, {
      ...{ ...seen, original: original.name, isNarrow: true, currentHash: undefined, currentHashes: undefined },
      hasUnseenPods: false,
    });
  }
  return { known, stored, snapshot, cells, renames };
}

/** What DaemonSets select besides their own key. */
function renamesOf(existing: ReadonlyMap<string, Workload>, nodeLabel: string): ReadonlyMap<string, Rename> {
  const renames = new Map<string, Rename>();
  for (const [key, workload] of existing) {
    const selected = selectedKeys(workload, nodeLabel);
    const isReady = selected.includes(key) && workload.status.observedGeneration >= workload.generation;
    for (const former of selected) if (former !== key && !existing.has(former)) renames.set(former, { key, isReady });
  }
  return renames;
}

/** The distinct cells that nodes get, in the order of keys. */
function cellsOf({ fleet, resolve }: KnownSet, nodes: readonly NodeFacts[]): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { cell } of fleet.wants.follow(nodes, { classOf: resolve }).counts.keys()) {
    if (cell !== undefined) cells.set(cell.key, cell);
  }
  return new Map([...cells].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Ground = {
  readonly known: KnownSet;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  readonly memory: Memory;
  readonly existing: ReadonlyMap<string, Workload>;
  readonly wantedCells: ReadonlyMap<string, Cell>;
  /** By name of a DaemonSet that is not there or nobody's: the key of the one cell that may have it. */
  readonly claims: ReadonlyMap<string, string>;
  readonly renames: Observed["renames"];
};

/** Admission lets no two variants name one DaemonSet, but nobody vouches for that: the first of them gets it, and others are told. */
function nameClaims(existing: ReadonlyMap<string, Workload>, wanted: ReadonlyMap<string, Cell>): Ground["claims"] {
  const claims = new Map<string, string>();
  for (const [key, { name }] of wanted) if (!existing.has(key) && !claims.has(name)) claims.set(name, key);
  return claims;
}

function seenCell(key: string, ground: Ground): SeenCell {
  const { known, stored, snapshot, memory, existing, wantedCells, renames } = ground;
  const { workload, clash } = workloadOf(key, ground);
  const cell = named(wantedCells.get(key), workload);
  const formerKeys = formerKeysOf(key, ground);
  const wanted =
    cell && known.wanted(cell, { ownerUid: stored.uid, adoptedSelector: adoptedSelector(cell, workload), formerKeys });
  const heir = renames.get(key)?.key;
  const wait =
    heir === undefined ? undefined : `nodes with the label ${quoted(key)} are being relabelled for ${quoted(heir)}`;
  const revisions = workload === undefined ? [] : snapshot.ownedBy(workload.uid, "ControllerRevision");
  const currentHash = workload && memory.revisions.currentHash(workload, revisions);
  return {
    ...{ key, cell, wanted, workload, clash, wait, original: undefined, currentHash },
    hasUnseenPods: workload !== undefined && hasUnseenPods(workload, snapshot.podsOf(workload.uid).length),
    isNarrow: workload === undefined || existing.has(key) || wanted === undefined || isNarrowed(wanted, workload),
    currentHashes: workload && currentHash ? new Set([currentHash, ...equivalentRevisions(workload)]) : undefined,
  };
}

/** The DaemonSet of a cell: ours, or one that nobody controls and that has its name. */
function workloadOf(
  key: string,
  { existing, wantedCells, claims, stored, snapshot }: Ground,
): Pick<SeenCell, "workload" | "clash"> {
  const own = existing.get(key);
  const cell = wantedCells.get(key);
  if (own !== undefined || cell === undefined) return { workload: own, clash: undefined };
  const found = snapshot.workloadNamed(stored.namespace, cell.name);
  const owner = found?.controllerUid;
  if (owner === undefined && claims.get(cell.name) === key) return { workload: found, clash: undefined };
  const isOurs = owner === undefined || owner === stored.uid;
  const whose = isOurs ? "is that of another variant of this set" : "belongs to another object";
  const clash = `DaemonSet ${quoted(cell.name)} ${whose}; choose another daemonSetName, or remove that DaemonSet`;
  return { workload: undefined, clash };
}

/** The values that nodes of the cell still have from before it got its name. */
function formerKeysOf(key: string, { known, snapshot, renames }: Ground): readonly string[] {
  const former = [...renames].flatMap(([value, rename]) => (rename.key === key ? [value] : []));
  if (former.length === 0) return [];
  const borne = new Set(snapshot.nodes.map(({ labels }) => bindingOn(labels, known.set)));
  return former.filter((value) => borne.has(value)).sort();
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
