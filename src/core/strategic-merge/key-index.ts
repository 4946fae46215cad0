// How elements of lists are found: by the value of their merge key, or by themselves where they are scalars.
import type { Json, JsonList, JsonObject } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import type { FieldPath } from "./path.ts";

/** What identifies an element: the value of its merge key, or the element itself in a list of scalars. */
export type ElementKey = Json;

/** Where keys first stand in a list. Keys compare by type and value: 80 is not "80". */
export type KeyIndex = {
  /** The keys in the list's order; whoever made the index may append to them, up to the announced length. */
  readonly keys: readonly (ElementKey | undefined)[];
  /** Only for long lists: a short one is searched faster than a map is built. */
  readonly positions: Map<ElementKey | symbol | undefined, number> | undefined;
  /** Only positions below this count: later ones are elements that the merge has appended. */
  end: number;
};

export const MISSING = -1;
const INCOMPARABLE = -2;
const SEARCHED_LENGTH_MAX = 16;

/** An index of the first position of each key; an element without key is never found. */
export function indexKeys(keys: readonly (ElementKey | undefined)[], lengthMax: number = keys.length): KeyIndex {
  const positions: KeyIndex["positions"] = lengthMax > SEARCHED_LENGTH_MAX ? new Map() : undefined;
  // From the end: the first appearance is written last, and stays.
  if (positions !== undefined) for (let at = keys.length - 1; at >= 0; at -= 1) positions.set(termOf(keys[at]), at);
  return { keys, positions, end: lengthMax };
}

/** Takes notice of the key that stands at a position; the position of its first appearance counts. */
export function indexKey({ keys, positions }: KeyIndex, position: number): void {
  if (positions === undefined) return;
  const term = termOf(keys[position]);
  if (!positions.has(term)) positions.set(term, position);
}

/** What a key is looked up by. */
function termOf(key: ElementKey | undefined): ElementKey | symbol | undefined {
  return isComparable(key) ? key : kindOf(key);
}

/** The first position of a key, or MISSING. */
export function positionOf(index: KeyIndex, key: ElementKey, path: FieldPath): number {
  return requireComparable(rankOf(index, key), path);
}

/** Like positionOf, but the crash of a comparison that Go cannot make is left to whoever uses the rank. */
export function rankOf(index: KeyIndex, key: ElementKey): number {
  const { keys, positions, end } = index;
  if (!isComparable(key)) return holdsKind(index, kindOf(key)) ? INCOMPARABLE : MISSING;
  const position = positions === undefined ? keys.indexOf(key) : (positions.get(key) ?? MISSING);
  return position < end ? position : MISSING;
}

/** The same for a key of the index itself, of which it is known where it stands: most lists name nobody twice. */
export function rankAt(index: KeyIndex, at: number, key: ElementKey): number {
  const { keys, positions, end } = index;
  const isFirst = positions?.size === keys.length && keys[at] === key && isComparable(key);
  if (!isFirst) return rankOf(index, key);
  return at < end ? at : MISSING;
}

const ANY_LIST = Symbol("any list");
const ANY_OBJECT = Symbol("any object");

/** Objects and lists cannot be compared: Go crashes when one is looked up among its kind. */
function isComparable(key: ElementKey | undefined): key is Exclude<ElementKey, JsonList | JsonObject> | undefined {
  return typeof key !== "object" || key === null;
}

function kindOf(key: JsonList | JsonObject): symbol {
  return Array.isArray(key) ? ANY_LIST : ANY_OBJECT;
}

function holdsKind({ keys, positions }: KeyIndex, kind: symbol): boolean {
  if (positions !== undefined) return positions.has(kind);
  return keys.some((key) => !isComparable(key) && kindOf(key) === kind);
}

/** The rank, unless Go would crash in finding it. */
export function requireComparable(rank: number, path: FieldPath): number {
  if (rank !== INCOMPARABLE) return rank;
  throw new StrategicMergeError("goPanic", path, {
    problem: "elements are told apart by a value that is an object or a list",
    remedy: "use a text or a number",
  });
}
