// What is worked out once per version of a set and kept while it is stored: its parsed form, what each class of nodes gets, and the
// DaemonSets that follow. A decision about an unchanged set and fleet then looks things up.

import type { Parsed } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { Json } from "../../core/json/json.ts";
import { type WantedWorkload, wantedWorkload } from "../../core/rollout/bring-workload.ts";
import { createFleetRoll, type FollowFleet } from "../../core/rollout/fleet-roll.ts";
import { createNodeRoll, type NodeRoll } from "../../core/rollout/node-roll.ts";
import { createRevisionReader, type RevisionReader } from "../../core/rollout/workload-revision.ts";
import { parseVariantSet } from "./api/parse.ts";
import type { VariantSet } from "./api/spec.ts";
import type { Cell } from "./cell.ts";
import { labelReads } from "./label-reads.ts";
import { type RenderGround, renderWorkload } from "./render.ts";
import { createResolver, type Resolve, type Resolved } from "./resolver.ts";
import { nodeLabelKeys } from "./set-labels.ts";
import type { Rest } from "./survey.ts";

/** Sets that are remembered; beyond this all are forgotten and worked out anew. */
export const SETS_MAX = 1_000;
/** DaemonSets that are remembered per set. */
const RENDERED_MAX = 1_000;

export type KnownSet = {
  readonly set: VariantSet;
  readonly resolve: Resolve;
  /** The labels of nodes that the set reads or writes: others may come and go. */
  readonly labelKeys: readonly string[];
  /** The fleet as the last decision found it. */
  readonly fleet: {
    /** What nodes get, whether or not they have it. */
    readonly wants: NodeRoll<Resolved>;
    readonly nodes: FollowFleet<Rest>;
  };
  /** The DaemonSet of a cell with its hashes. */
  readonly wanted: (cell: Cell, ground: RenderGround) => WantedWorkload;
};

export type Memory = {
  readonly recall: (stored: StoredObject) => Parsed<KnownSet>;
  readonly revisions: RevisionReader;
};

type Entry = { readonly spec: Json | undefined; readonly text: string; readonly parsed: Parsed<KnownSet> };

/** Makes a memory; it holds a bounded number of sets. */
export function createMemory(): Memory {
  const entries = new Map<string, Entry>();
  const recall = (stored: StoredObject): Parsed<KnownSet> => {
    const { spec } = stored.object;
    const id = `${stored.namespace}/${stored.name}/${stored.uid}`;
    const known = entries.get(id);
    if (known !== undefined && known.spec === spec) return known.parsed;
    // A status that was stored brings the same spec in another object.
    const text = canonicalJson(spec ?? null);
    const parsed = known !== undefined && known.text === text ? known.parsed : knownSet(stored);
    if (entries.size >= SETS_MAX) entries.clear();
    entries.set(id, { spec, text, parsed });
    return parsed;
  };
  return { recall, revisions: createRevisionReader() };
}

function knownSet({ object }: StoredObject): Parsed<KnownSet> {
  const parsed = parseVariantSet(object);
  if (!parsed.ok) return parsed;
  const set = parsed.value;
  const rendered = new Map<string, WantedWorkload>();
  const wanted: KnownSet["wanted"] = (cell, ground) => {
    const id = JSON.stringify([cell.key, [...cell.images], cell.name, ground]);
    const known = rendered.get(id);
    if (known !== undefined) return known;
    const made = wantedWorkload(renderWorkload(set, cell, ground));
    if (rendered.size >= RENDERED_MAX) rendered.clear();
    rendered.set(id, made);
    return made;
  };
  const fleet = { wants: createNodeRoll<Resolved>(), nodes: createFleetRoll<Rest>() };
  const labelKeys = [...new Set([...labelReads(set).flatMap(({ keys }) => keys), ...nodeLabelKeys(set)])];
  return { ok: true, value: { set, resolve: createResolver(set), labelKeys, fleet, wanted } };
}
