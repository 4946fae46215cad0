// Cuts the bytes of a List answer into its items as they come, so that a page of thousands of objects is never one value.
// What is left of the page, with `items` empty, is the envelope: a small JSON text that the codec reads at the end.
// `items` may stand anywhere: built-in lists send their metadata first, lists of custom resources send it last.
import {
  BACKSLASH,
  CLOSE_BRACKET,
  COMMA,
  closes,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  opens,
  QUOTE,
} from "./json-bytes.ts";
import { isTooLong, type Piece, PieceBuffer } from "./piece-buffer.ts";

/** The rest of a page is kind, version, continue token: far below this. More of it is not a list. */
const ENVELOPE_BYTES_MAX = 256 * 1024;
/** Inside the page's object and its list of items. */
const ITEMS_DEPTH = 2;
const ITEMS_NAME = new TextEncoder().encode("items");
const MISMATCH = -1;

type Phase = "head" | "between" | "item" | "tail";

export class ListSplitter {
  readonly #item: PieceBuffer;
  readonly #envelope = new PieceBuffer(ENVELOPE_BYTES_MAX);
  /** How far the latest string directly in the page's object spells `items`. Before a `[` that string is a member's name. */
  #spelled = MISMATCH;
  #phase: Phase = "head";
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #problem: string | undefined;

  constructor(itemBytesMax: number) {
    this.#item = new PieceBuffer(itemBytesMax);
  }

  /** What makes these bytes no list; once set, reading on is pointless. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The items that end in this chunk. */
  *push(chunk: Uint8Array): Generator<Piece, void> {
    let at = 0;
    while (at < chunk.length && this.#problem === undefined) {
      if (this.#phase === "item") {
        const end = this.#passItem(chunk, at);
        const part = chunk.subarray(at, end);
        at = end;
        if (this.#depth === ITEMS_DEPTH) {
          this.#phase = "between";
          yield this.#item.finish(part);
        } else {
          this.#item.add(part);
        }
      } else {
        at = this.#phase === "between" ? this.#passGap(chunk, at) : this.#passEnvelope(chunk, at);
      }
    }
  }

  /** Ends the page: its envelope, or undefined with the `problem` set when the bytes ended too early or were no list. */
  finish(): Uint8Array | undefined {
    if (this.#problem !== undefined) return undefined;
    if (this.#depth !== 0 || this.#inString) this.#problem = "the answer ends in the middle";
    const envelope = this.#envelope.finish(new Uint8Array(0));
    return this.#problem !== undefined || isTooLong(envelope) ? undefined : envelope;
  }

  /** The position behind the item, or the end of the chunk; `#depth` tells which. This loop sees every byte of a list. */
  #passItem(chunk: Uint8Array, from: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let at = from;
    while (at < chunk.length) {
      if (isEscaped) {
        isEscaped = false;
        at++;
      } else if (inString) {
        at = behindMark(chunk, at);
        inString = chunk[at - 1] !== QUOTE;
        isEscaped = chunk[at - 1] === BACKSLASH;
      } else {
        const byte = chunk[at++] ?? 0;
        if (byte === QUOTE) inString = true;
        else if (opens(byte)) depth++;
        else if (closes(byte)) depth--;
        if (depth === ITEMS_DEPTH) break;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    return at;
  }

  #passGap(chunk: Uint8Array, from: number): number {
    let at = from;
    while (isSpace(chunk[at]) || chunk[at] === COMMA) at++;
    const byte = chunk[at];
    if (byte === undefined) return at;
    if (byte === OPEN_BRACE) this.#phase = "item";
    else if (byte === CLOSE_BRACKET) this.#phase = "tail";
    else this.#problem = "an item of the list is not an object";
    // Both brackets are read again: as the first byte of the item, or as the end of `items` in the envelope.
    return at;
  }

  #passEnvelope(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const opensItems = this.#phase === "head" && !this.#inString && byte === OPEN_BRACKET && this.#isNamedItems();
      this.#noteStructure(byte);
      if (opensItems) {
        this.#phase = "between";
        this.#keep(chunk.subarray(from, at + 1));
        return at + 1;
      }
    }
    this.#keep(chunk.subarray(from));
    return chunk.length;
  }

  #keep(bytes: Uint8Array): void {
    this.#envelope.add(bytes);
    if (this.#envelope.length > ENVELOPE_BYTES_MAX) {
      this.#problem = `more than ${ENVELOPE_BYTES_MAX} bytes stand outside its items`;
    }
  }

  #noteStructure(byte: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
      if (this.#inString) this.#spelled = ITEMS_NAME[this.#spelled] === byte ? this.#spelled + 1 : MISMATCH;
    } else if (byte === QUOTE) {
      this.#inString = true;
      this.#spelled = this.#depth === 1 ? 0 : MISMATCH;
    } else if (opens(byte)) {
      this.#depth++;
    } else if (closes(byte)) {
      this.#depth--;
    }
  }

  #isNamedItems(): boolean {
    return this.#depth === 1 && this.#spelled === ITEMS_NAME.length;
  }
}

/** The position behind the next quote or backslash, or the end of the chunk. Most bytes of a list are passed here. */
function behindMark(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const byte = chunk[at++];
    if (byte === QUOTE || byte === BACKSLASH) break;
  }
  return at;
}
