// The identity of a JSON value in few characters: values with one canonical text have one fingerprint, others have others but for a chance
// that no cluster meets. Renderings are told apart by it. Parts are digested by themselves, so that what many values share is digested once.
//
// Caveats: an author who writes both values can make them collide, which SHA-256 would prevent. What is
// compared by fingerprint must all be one author's, who then only fools themselves. Another function
// would give pods that run today another name and label: fingerprints are stored in both.
import { JSON_DEPTH_MAX, scalarText } from "../json/canonical-json.ts";
import { isJsonList, type Json, type JsonList, type JsonObject } from "../json/json.ts";
import { absorb, absorbText, beginDigest, type Digest, endDigest, type Lanes } from "./murmur.ts";
import { encodeWords } from "./safe-encode.ts";

type Part = JsonList | JsonObject;

/** What a block announces, so that no two values are one sequence of blocks. */
const LIST = 1;
const OBJECT = 2;
const KEY = 3;
const TEXT = 4;
const OTHER_SCALAR = 5;
const PART = 6;

/** A part that is being digested; kept on a list of our own, because nesting can exceed the stack. */
type Unfinished = {
  readonly of: Part;
  /** In order; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Json[];
  readonly lanes: Lanes;
  next: number;
};

/** Always 24 characters, legal anywhere in names and label values. Throws where `canonicalJson` does. */
export function fingerprint(value: Json): string {
  return encodeWords(digestOf(value, new Map(), () => {}));
}

/**
 * Returns a function with the same promise, for values that share lists and objects with this one: those are digested once. Assumes that
 * nobody changes a value in place. Depth is counted anew below what is shared.
 */
export function createFingerprint(shared: Json): (value: Json) => string {
  const known = new Map<Part, Digest>();
  digestOf(shared, known, (part, digest) => known.set(part, digest));
  return (value) => encodeWords(digestOf(value, known, () => {}));
}

function digestOf(value: Json, known: ReadonlyMap<Part, Digest>, tell: (part: Part, digest: Digest) => void): Digest {
  const root = beginDigest();
  const open: Unfinished[] = [];
  absorbValue(root, value, known, open);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { values, keys, lanes } = top;
    const depth = open.length;
    while (top.next < values.length && open.length === depth) {
      const at = top.next++;
      if (keys !== undefined) absorbText(lanes, KEY, keys[at] ?? "");
      absorbValue(lanes, values[at] ?? null, known, open);
    }
    if (open.length > depth) continue;
    open.pop();
    const digest = endDigest(lanes);
    tell(top.of, digest);
    absorbDigest(open.at(-1)?.lanes ?? root, digest);
  }
  return endDigest(root);
}

/** Takes in a scalar or a part that is known; another part is opened, and taken in when it is finished. */
function absorbValue(lanes: Lanes, value: Json, known: ReadonlyMap<Part, Digest>, open: Unfinished[]): void {
  if (typeof value === "string") absorbText(lanes, TEXT, value);
  else if (typeof value !== "object" || value === null) absorbText(lanes, OTHER_SCALAR, scalarText(value));
  else absorbPart(lanes, value, known, open);
}

function absorbPart(lanes: Lanes, part: Part, known: ReadonlyMap<Part, Digest>, open: Unfinished[]): void {
  const digest = known.get(part);
  if (digest !== undefined) absorbDigest(lanes, digest);
  else if (open.length < JSON_DEPTH_MAX) open.push(unfinishedOf(part));
  else throw new RangeError(`a value nests deeper than ${JSON_DEPTH_MAX} levels`);
}

function absorbDigest(lanes: Lanes, [a, b, c, d]: Digest): void {
  absorb(lanes, PART, 0, 0, 0);
  absorb(lanes, a, b, c, d);
}

function unfinishedOf(of: Part): Unfinished {
  const lanes = beginDigest();
  if (isJsonList(of)) {
    absorb(lanes, LIST, of.length, 0, 0);
    return { of, keys: undefined, values: of, lanes, next: 0 };
  }
  const { keys, values } = membersOf(of);
  absorb(lanes, OBJECT, keys.length, 0, 0);
  return { of, keys, values, lanes, next: 0 };
}

type Members = { readonly keys: readonly string[]; readonly values: readonly Json[] };

/** By the units of the keys, which is an order as good as any. */
function membersOf(object: JsonObject): Members {
  const keys = Object.keys(object);
  for (const key of keys) if (!key.isWellFormed()) return wellFormedMembers(object);
  keys.sort();
  return { keys, values: keys.map((key) => object[key] ?? null) };
}

/** Keys that differ only in halves of surrogate pairs have one canonical text, and the last one wins. */
function wellFormedMembers(object: JsonObject): Members {
  const members = new Map(Object.keys(object).map((key) => [key.toWellFormed(), object[key] ?? null]));
  const keys = [...members.keys()].sort();
  return { keys, values: keys.map((key) => members.get(key) ?? null) };
}
