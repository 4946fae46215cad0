// The order of a merged list: elements of the patch keep the patch's order, the others keep the server's, and the two
// are woven together along the server's order. An element that the server does not know comes as early as it can.
import { isJsonObject, type Json, type JsonList } from "../json/json.ts";
import { goStableSort } from "./go-sort.ts";
import { type ElementKey, type KeyIndex, MISSING, positionOf, rankAt, requireComparable } from "./key-index.ts";
import type { FieldPath } from "./path.ts";

export type Ordering = {
  readonly items: JsonList;
  /** The key of each item. */
  readonly keys: readonly ElementKey[];
  readonly patchOrder: KeyIndex;
  readonly serverOrder: KeyIndex;
  readonly path: FieldPath;
};

/** The items in their final order; the given list itself where that is their order already. */
export function orderElements({ items, keys, patchOrder, serverOrder, path }: Ordering): JsonList {
  const patched: number[] = [];
  const serverOnly: number[] = [];
  const patchRanks: number[] = [];
  const serverRanks: number[] = [];
  let isOrdered = true;
  let lastRank = MISSING;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] ?? null;
    const rank = positionOf(patchOrder, key, path);
    const serverRank = rankAt(serverOrder, at, key);
    patchRanks.push(rank);
    serverRanks.push(serverRank);
    // Most patches change elements that exist, in the sequence in which they stand.
    isOrdered &&= serverRank === at && (rank === MISSING || rank > lastRank) && !isLeftoverDeletion(items[at]);
    if (rank === MISSING) serverOnly.push(at);
    else {
      patched.push(at);
      lastRank = rank;
    }
  }
  if (isOrdered) return items;
  const inPatchOrder = sortByRank(patched, patchRanks, items, path);
  const inServerOrder = sortByRank(serverOnly, serverRanks, items, path);
  return weave(inServerOrder, inPatchOrder, { items, serverRanks, path });
}

type Members = readonly number[];

function sortByRank(members: Members, ranks: readonly number[], items: JsonList, path: FieldPath): Members {
  if (isSorted(members, ranks, items)) return members;
  const rank = (member: number): number => requireComparable(ranks[member] ?? MISSING, path);
  const sorted = members.filter((member) => !isLeftoverDeletion(items[member]));
  const last = members.filter((member) => isLeftoverDeletion(items[member]));
  if (sorted.every((member) => (ranks[member] ?? MISSING) >= 0)) sorted.sort((a, b) => rank(a) - rank(b));
  // Whoever is not in the order counts as less than anyone, which is no ordering: only Go's own steps give Go's result.
  else goStableSort(sorted, (a, b) => rank(a) === MISSING || rank(b) === MISSING || rank(a) < rank(b));
  return [...sorted, ...last];
}

function isSorted(members: Members, ranks: readonly number[], items: JsonList): boolean {
  let previous = 0;
  for (const member of members) {
    const rank = ranks[member] ?? MISSING;
    if (rank < previous || isLeftoverDeletion(items[member])) return false;
    previous = rank;
  }
  return true;
}

/** An element whose `$patch: delete` was stored as data by an earlier merge goes to the end of its part. */
function isLeftoverDeletion(item: Json | undefined): boolean {
  return isJsonObject(item) && item.$patch === "delete";
}

type Weaving = { readonly items: JsonList; readonly serverRanks: readonly number[]; readonly path: FieldPath };

function weave(serverOnly: Members, patched: Members, weaving: Weaving): JsonList {
  const { items, serverRanks, path } = weaving;
  const woven: Json[] = [];
  let next = 0;
  for (const member of patched) {
    for (; next < serverOnly.length; next += 1) {
      const server = serverOnly[next] ?? MISSING;
      const serverRank = requireComparable(serverRanks[server] ?? MISSING, path);
      const patchedRank = requireComparable(serverRanks[member] ?? MISSING, path);
      const isKnownToPrecede = serverRank !== MISSING && serverRank < patchedRank;
      if (!isKnownToPrecede) break;
      woven.push(items[server] ?? null);
    }
    woven.push(items[member] ?? null);
  }
  for (; next < serverOnly.length; next += 1) woven.push(items[serverOnly[next] ?? MISSING] ?? null);
  return woven;
}
