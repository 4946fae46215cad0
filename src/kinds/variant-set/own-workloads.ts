// Which DaemonSet of a set is for which cell. Nearly always its label says so; two things need more care. A user may have copied one
// under another name: a copy is nobody's, and is told of. And a variant may have got another name and kept its `daemonSetName`: the
// DaemonSet goes with it, and its nodes are relabelled while it selects them by both values.

import { textsIn } from "../../core/decision/object-identity.ts";
import { isJsonObject } from "../../core/json/json.ts";
import type { Workload } from "../../core/rollout/workload.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { Cell } from "./cell.ts";
import { requiredTerms } from "./label-reads.ts";
import { KEY_LABEL, WORKLOAD_LABEL } from "./render.ts";

export type OwnWorkloads = {
  /** The one DaemonSet of each cell, by the cell's key. */
  readonly byKey: ReadonlyMap<string, Workload>;
  /** Others that claim the key of a cell which has its DaemonSet. */
  readonly copies: readonly { readonly workload: Workload; readonly original: Workload }[];
};

type Wanted = ReadonlyMap<string, Cell>;

/** Gives each DaemonSet that a set controls to the cell that it is for. */
export function assignWorkloads(workloads: readonly Workload[], wanted: Wanted, nodeLabel: string): OwnWorkloads {
  const byKey = new Map<string, Workload>();
  const copies: { readonly workload: Workload; readonly original: Workload }[] = [];
  for (const [key, claimants] of Map.groupBy(workloads, (one) => keyOf(one, nodeLabel))) {
    const [original, ...others] = claimants.toSorted((a, b) => compareClaims(a, b, wanted.get(key)?.name));
    if (original === undefined) continue;
    byKey.set(key, original);
    copies.push(...others.map((workload) => ({ workload, original })));
  }
  return { byKey: followNames(byKey, wanted), copies };
}

/** A key for the pods of a copy; no label can have such a value. */
export function copyKey({ name }: Workload): string {
  return `a copy, ${name}`;
}

/** The values of the node label that a DaemonSet selects nodes by: one as a rule, several while nodes are relabelled. */
export function selectedKeys({ spec }: Workload, nodeLabel: string): readonly string[] {
  const template = objectAt(spec, "template");
  const only = textsIn(objectAt(template, "spec").nodeSelector)[nodeLabel];
  if (only !== undefined) return [only];
  const [term] = requiredTerms(template);
  const [values] = listOf(term?.matchExpressions).flatMap((one) =>
    isJsonObject(one) && one.key === nodeLabel && one.operator === "In" ? [listOf(one.values)] : [],
  );
  return (values ?? []).filter((value) => typeof value === "string");
}

/** The label of a DaemonSet says it, else the nodes that it selects do. */
function keyOf(workload: Workload, nodeLabel: string): string {
  return workload.labels[KEY_LABEL] ?? selectedKeys(workload, nodeLabel).at(-1) ?? workload.name;
}

/** One that stays before one that leaves, one that we made before one that we adopted, the right name before another, then the older one. */
function compareClaims(a: Workload, b: Workload, name: string | undefined): number {
  const ranks = (one: Workload) => [one.isLeaving, !isMadeByUs(one), one.name !== name].map(Number);
  const [ours, theirs] = [ranks(a), ranks(b)];
  const rank = ours.findIndex((value, at) => value !== theirs[at]);
  if (rank !== -1) return (ours[rank] ?? 0) - (theirs[rank] ?? 0);
  const ages = (a.createdMs ?? 0) - (b.createdMs ?? 0);
  return ages === 0 ? Number(a.name > b.name) * 2 - 1 : ages;
}

/** What we make selects its pods by its own name; a copy has the name of another one there. */
function isMadeByUs({ spec, name }: Workload): boolean {
  return textsIn(objectAt(objectAt(spec, "selector"), "matchLabels"))[WORKLOAD_LABEL] === name;
}

/** A DaemonSet whose own variant is gone goes to the variant that names it. */
function followNames(byKey: ReadonlyMap<string, Workload>, wanted: Wanted): ReadonlyMap<string, Workload> {
  const left = [...byKey].filter(([key]) => !wanted.has(key));
  const followed = new Map(byKey);
  for (const [key, { variant }] of wanted) {
    if (byKey.has(key) || variant.daemonSetName === undefined) continue;
    const [formerKey, workload] = left.find(([, { name }]) => name === variant.daemonSetName) ?? [];
    if (formerKey === undefined || workload === undefined) continue;
    // Once it has gone to a variant, another that names it too finds it taken.
    if (followed.get(formerKey) !== workload) continue;
    followed.delete(formerKey);
    followed.set(key, workload);
  }
  return followed;
}
