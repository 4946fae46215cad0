// Leaves members that nobody reads out of an object's JSON before it is parsed: `metadata.managedFields`, a quarter to a third
// of all bytes that an API server sends, and what the owner of a cache names. Skipping a byte costs much less than parsing it.
//
// Caveats: a name written with escapes stays in, and the bytes inside what is cut are not checked. On bytes that are no JSON
// nothing is cut, so that the parser says what is wrong.
import { COLON, COMMA, isSame, OPEN_BRACE, QUOTE, skipSpace, skipString, skipValue } from "./json-bytes.ts";

/** A name on the way to what is cut; what lies at the end of the way has no further branches. */
type Branch = { readonly name: Uint8Array; readonly branches: readonly Branch[] };

const MANAGED_FIELDS = "metadata.managedFields";
const LOST = -1;
/** Most objects fit, so that the memory is made once. */
const SCRATCH_BYTES = 16 * 1024;
/** Memory for longer texts is given back: few objects need it. */
const KEPT_BYTES_MAX = 256 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class MemberCutter {
  readonly #inItem: readonly Branch[];
  readonly #inEvent: readonly Branch[];
  /** The parts of the bytes at hand that are cut: begin and end by turns, in order. */
  readonly #cuts: number[] = [];
  #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);

  /** Paths are names joined by dots, from the object's root. */
  constructor(paths: readonly string[]) {
    this.#inItem = branchesOf([MANAGED_FIELDS, ...paths].map((path) => path.split(".")));
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
    this.#cuts.length = 0;
    const end = this.#walk(bytes, skipSpace(bytes, 0), branches);
    return end === LOST || this.#cuts.length === 0 ? utf8.decode(bytes) : this.#join(bytes);
  }

  /** Notes what is to be cut in the object at `at`; gives the position behind it, or LOST when it is no JSON object. */
  #walk(bytes: Uint8Array, at: number, branches: readonly Branch[]): number {
    let isFirst = true;
    // Behind the last member that stays, or behind the opening brace.
    let kept = at + 1;
    let nameAt = skipSpace(bytes, kept);
    while (bytes[nameAt] === QUOTE) {
      const nameEnd = skipString(bytes, nameAt);
      const colon = nameEnd === LOST ? LOST : skipSpace(bytes, nameEnd);
      if (bytes[colon] !== COLON) return LOST;
      const valueAt = skipSpace(bytes, colon + 1);
      const branch = branchNamed(branches, bytes, nameAt, nameEnd);
      const end = this.#passValue(bytes, valueAt, branch);
      const next = end === LOST ? LOST : skipSpace(bytes, end);
      const hasNext = bytes[next] === COMMA;
      if (next === LOST) return LOST;
      if (branch?.branches.length === 0) {
        // One comma goes with it: the one before it, unless nothing before it stays.
        this.#cuts.push(kept, isFirst && hasNext ? next + 1 : end);
        if (isFirst && hasNext) kept = next + 1;
        else kept = end;
      } else {
        isFirst = false;
        kept = end;
      }
      if (!hasNext) return next + 1;
      nameAt = skipSpace(bytes, next + 1);
    }
    return nameAt + 1;
  }

  #passValue(bytes: Uint8Array, at: number, branch: Branch | undefined): number {
    const isWayOn = branch !== undefined && branch.branches.length > 0 && bytes[at] === OPEN_BRACE;
    return isWayOn ? this.#walk(bytes, at, branch.branches) : skipValue(bytes, at);
  }

  #join(bytes: Uint8Array): string {
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const target = this.#scratchFor(bytes.length);
    let length = 0;
    let from = 0;
    for (let index = 0; index < this.#cuts.length; index += 2) {
      length += source.copy(target, length, from, this.#cuts[index]);
      from = this.#cuts[index + 1] ?? from;
    }
    length += source.copy(target, length, from);
    return utf8.decode(target.subarray(0, length));
  }

  #scratchFor(length: number): Buffer {
    if (length <= this.#scratch.length) return this.#scratch;
    const grown = Buffer.allocUnsafe(length);
    if (length <= KEPT_BYTES_MAX) this.#scratch = grown;
    return grown;
  }
}

function branchesOf(ways: readonly (readonly string[])[]): readonly Branch[] {
  const first = new Set(ways.flatMap(([name]) => name ?? []));
  return [...first].map((name) => {
    const rest = ways.filter((way) => way[0] === name).map((way) => way.slice(1));
    return { name: quoted(name), branches: rest.some((way) => way.length === 0) ? [] : branchesOf(rest) };
  });
}

function branchNamed(branches: readonly Branch[], bytes: Uint8Array, from: number, to: number): Branch | undefined {
  for (const branch of branches) if (isSame(bytes, from, to, branch.name)) return branch;
  return undefined;
}

function quoted(name: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(name));
}
