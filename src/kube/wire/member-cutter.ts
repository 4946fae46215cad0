// Leaves members that nobody reads out of an object's JSON before it is parsed: `metadata.managedFields`, a quarter to a third
// of all bytes that an API server sends, and what the owner of a cache names. Skipping a byte costs much less than parsing it.
//
// Caveats: a name written with escapes stays in, and the bytes inside what is cut are not checked. On bytes that are no JSON
// nothing is cut, so that the parser says what is wrong.
import {
  COLON,
  COMMA,
  closes,
  isSame,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  opens,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from "./json-bytes.ts";

/** A name on the way to what is cut; what lies at the end of the way has no further branches. */
type Branch = { readonly name: Uint8Array; readonly branches: readonly Branch[] };

const MANAGED_FIELDS = "metadata.managedFields";
const LOST = -1;
/** Everything that is to be cut was found: what follows need not be walked over, the parser reads it anyway. */
const ENOUGH = -2;
/** Memory for longer texts is given back: few objects need it. */
const KEPT_BYTES_MAX = 256 * 1024;

const NOTHING = Buffer.alloc(0);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class MemberCutter {
  readonly #inItem: readonly Branch[];
  readonly #inEvent: readonly Branch[];
  /** How many places there are when each of the members was there. */
  readonly #cutsMax: number;
  /** The parts of the bytes at hand that are cut: begin and end by turns, in order. */
  readonly #cuts: number[] = [];
  /** Made when it is first needed: many caches of a short life never cut anything. */
  #scratch: Buffer = NOTHING;

  /** Paths are names joined by dots, from the object's root. */
  constructor(paths: readonly string[]) {
    this.#inItem = paths.length === 0 ? managedFieldsOnly : branchesTo([MANAGED_FIELDS, ...paths]);
    this.#cutsMax = 2 * leavesOf(this.#inItem);
    this.#inEvent = [{ name: quoted("object"), branches: this.#inItem }];
  }

  /** The text of a watch event without these members of its object. Throws on bytes that are not UTF-8. */
  textOfEvent(line: Uint8Array): string {
    return this.#text(line, this.#inEvent);
  }

  /** The text of an object without these members. Throws on bytes that are not UTF-8. */
  textOfItem(item: Uint8Array): string {
    return this.#text(item, this.#inItem);
  }

  #text(bytes: Uint8Array, branches: readonly Branch[]): string {
    // Node's own view, also of bytes that come as another: loops over two types of bytes cost twice as much.
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#cuts.length = 0;
    const end = this.#walk(source, skipSpace(source, 0), branches);
    return end === LOST || this.#cuts.length === 0 ? utf8.decode(source) : this.#join(source);
  }

  /** Notes what is to be cut in the object at `at`; gives the position behind it, LOST when it is no JSON object, or ENOUGH. */
  #walk(bytes: Buffer, at: number, branches: readonly Branch[]): number {
    if (bytes[at] !== OPEN_BRACE) return LOST;
    let depth = 1;
    let here = at + 1;
    while (here < bytes.length) {
      const byte = bytes[here++] ?? 0;
      if (byte === QUOTE) {
        const end = skipString(bytes, here - 1);
        here = depth === 1 ? this.#passText(bytes, here - 1, end, branches) : end;
        if (here === LOST || here === ENOUGH) return here;
      } else if (opens(byte)) {
        depth++;
      } else if (closes(byte)) {
        depth--;
        if (depth === 0) return here;
      }
    }
    return LOST;
  }

  /** Passes a string directly in the object; if it is a name, also its value, unless the walk itself is the way to do that. */
  #passText(bytes: Buffer, at: number, end: number, branches: readonly Branch[]): number {
    const colon = end === LOST ? LOST : skipSpace(bytes, end);
    if (bytes[colon] !== COLON) return end;
    const valueAt = skipSpace(bytes, colon + 1);
    const branch = branchNamed(branches, bytes, at, end);
    if (branch?.branches.length === 0) {
      const behind = this.#cut(bytes, at, skipValue(bytes, valueAt));
      return behind !== LOST && this.#cuts.length === this.#cutsMax ? ENOUGH : behind;
    }
    if (bytes[valueAt] === OPEN_BRACKET) return skipValue(bytes, valueAt);
    const isWayOn = branch !== undefined && bytes[valueAt] === OPEN_BRACE;
    return isWayOn ? this.#walk(bytes, valueAt, branch.branches) : valueAt;
  }

  /** One comma goes with the member: the one before it, unless nothing before it stays. */
  #cut(bytes: Buffer, nameAt: number, end: number): number {
    if (end === LOST) return LOST;
    let comma = nameAt - 1;
    while (isSpace(bytes[comma])) comma--;
    const cutUntil = this.#cuts[this.#cuts.length - 1] ?? 0;
    if (bytes[comma] === COMMA && comma >= cutUntil) {
      this.#cuts.push(comma, end);
      return end;
    }
    const next = skipSpace(bytes, end);
    const cutEnd = bytes[next] === COMMA ? next + 1 : end;
    this.#cuts.push(nameAt, cutEnd);
    return cutEnd;
  }

  #join(bytes: Buffer): string {
    const target = this.#scratchFor(bytes.length);
    let length = 0;
    let from = 0;
    for (let index = 0; index < this.#cuts.length; index += 2) {
      length += bytes.copy(target, length, from, this.#cuts[index]);
      from = this.#cuts[index + 1] ?? from;
    }
    length += bytes.copy(target, length, from);
    return utf8.decode(target.subarray(0, length));
  }

  #scratchFor(length: number): Buffer {
    if (length <= this.#scratch.length) return this.#scratch;
    // Twice as much each time, so that it is made a few times only, however the objects grow.
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#scratch.length));
    if (length <= KEPT_BYTES_MAX) this.#scratch = grown;
    return grown;
  }
}

function branchesTo(paths: readonly string[]): readonly Branch[] {
  return branchesOf(paths.map((path) => path.split(".")));
}

function branchesOf(ways: readonly (readonly string[])[]): readonly Branch[] {
  const first = new Set(ways.flatMap(([name]) => name ?? []));
  return [...first].map((name) => {
    const rest = ways.filter((way) => way[0] === name).map((way) => way.slice(1));
    return { name: quoted(name), branches: rest.some((way) => way.length === 0) ? [] : branchesOf(rest) };
  });
}

function leavesOf(branches: readonly Branch[]): number {
  return branches.reduce((sum, branch) => sum + (branch.branches.length === 0 ? 1 : leavesOf(branch.branches)), 0);
}

function branchNamed(branches: readonly Branch[], bytes: Uint8Array, from: number, to: number): Branch | undefined {
  for (const branch of branches) if (isSame(bytes, from, to, branch.name)) return branch;
  return undefined;
}

function quoted(name: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(name));
}

/** What most caches cut, worked out once. */
const managedFieldsOnly = branchesTo([MANAGED_FIELDS]);
