// The order of a merged list: elements of the patch keep the patch's order, the others keep the server's, and the two
// are woven together along the server's order. An element that the server does not know comes as early as it can.
import { isJsonObject, type Json, type JsonList } from "./json.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";
import { goStableSort } from "./strategic-merge-go-sort.ts";
import type { FieldPath } from "./strategic-merge-path.ts";

/** What identifies an element: the value of its merge key, or the element itself in a list of scalars. */
export type ElementKey = Json;

/** Where keys first stand in a list. Keys compare by type and value: 80 is not "80". */
export type KeyIndex = {
  readonly positions: Map<ElementKey, number>;
  /** Only positions below this count: later ones are elements that the merge has appended. */
  end: number;
  /** Objects and lists cannot be compared: Go crashes when one is looked up among its kind. */
  hasObjects: boolean;
  hasLists: boolean;
};

export const MISSING = -1;
const INCOMPARABLE = -2;

/** An index of the first position of each key; an element without key is never found. */
export function indexKeys(keys: readonly (ElementKey | undefined)[]): KeyIndex {
  const index: KeyIndex = { positions: new Map(), end: keys.length, hasObjects: false, hasLists: false };
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at];
    if (key !== undefined) addKey(index, key, at);
  }
  return index;
}

/** Adds a key at a position, unless it already has an earlier one. */
export function addKey(index: KeyIndex, key: ElementKey, position: number): void {
  if (typeof key !== "object" || key === null) {
    if (!index.positions.has(key)) index.positions.set(key, position);
  } else if (Array.isArray(key)) index.hasLists = true;
  else index.hasObjects = true;
}

/** The first position of a key, or MISSING. */
export function positionOf(index: KeyIndex, key: ElementKey, path: FieldPath): number {
  return requireComparable(rankOf(index, key), path);
}

function rankOf(index: KeyIndex, key: ElementKey): number {
  if (typeof key === "object" && key !== null) {
    const meetsItsKind = Array.isArray(key) ? index.hasLists : index.hasObjects;
    return meetsItsKind ? INCOMPARABLE : MISSING;
  }
  const position = index.positions.get(key);
  return position === undefined || position >= index.end ? MISSING : position;
}

function requireComparable(rank: number, path: FieldPath): number {
  if (rank !== INCOMPARABLE) return rank;
  throw new StrategicMergeError("goPanic", path, {
    problem: "elements are told apart by a value that is an object or a list",
    remedy: "use a text or a number",
  });
}

export type Ordering = {
  readonly items: JsonList;
  /** The key of each item. */
  readonly keys: readonly ElementKey[];
  readonly patchOrder: KeyIndex;
  readonly serverOrder: KeyIndex;
  readonly path: FieldPath;
};

/** The items in their final order. */
export function orderElements({ items, keys, patchOrder, serverOrder, path }: Ordering): JsonList {
  const patched: number[] = [];
  const serverOnly: number[] = [];
  const patchRanks: number[] = [];
  const serverRanks: number[] = [];
  let at = 0;
  for (const key of keys) {
    const rank = positionOf(patchOrder, key, path);
    (rank === MISSING ? serverOnly : patched).push(at);
    patchRanks.push(rank);
    serverRanks.push(rankOf(serverOrder, key));
    at += 1;
  }
  const inPatchOrder = sortByRank(patched, patchRanks, items, path);
  const inServerOrder = sortByRank(serverOnly, serverRanks, items, path);
  return weave(inServerOrder, inPatchOrder, serverRanks, path).map((index) => items[index] ?? null);
}

function sortByRank(
  members: readonly number[],
  ranks: readonly number[],
  items: JsonList,
  path: FieldPath,
): readonly number[] {
  const isLast = (member: number): boolean => isLeftoverDeletion(items[member]);
  const last = members.filter(isLast);
  const sorted = last.length === 0 ? [...members] : members.filter((member) => !isLast(member));
  const rank = (member: number): number => requireComparable(ranks[member] ?? MISSING, path);
  if (members.every((member) => (ranks[member] ?? MISSING) >= 0)) sorted.sort((a, b) => rank(a) - rank(b));
  // Whoever is not in the order counts as less than anyone, which is no ordering: only Go's own steps give Go's result.
  else goStableSort(sorted, (a, b) => rank(a) === MISSING || rank(b) === MISSING || rank(a) < rank(b));
  return [...sorted, ...last];
}

/** An element whose `$patch: delete` was stored as data by an earlier merge goes to the end of its part. */
function isLeftoverDeletion(item: Json | undefined): boolean {
  return isJsonObject(item) && item.$patch === "delete";
}

function weave(
  serverOnly: readonly number[],
  patched: readonly number[],
  serverRanks: readonly number[],
  path: FieldPath,
): readonly number[] {
  const rank = (member: number): number => requireComparable(serverRanks[member] ?? MISSING, path);
  const woven: number[] = [];
  let next = 0;
  for (const member of patched) {
    for (; next < serverOnly.length; next += 1) {
      const server = serverOnly[next];
      if (server === undefined || !isBefore(rank(server), rank(member))) break;
      woven.push(server);
    }
    woven.push(member);
  }
  return [...woven, ...serverOnly.slice(next)];
}

function isBefore(server: number, patched: number): boolean {
  return server !== MISSING && patched !== MISSING && server < patched;
}
