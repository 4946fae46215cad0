// The part of a line or list item that has come so far. The two splitters share it: it grows by doubling, so a piece that
// comes byte by byte is copied a constant number of times, and it forgets a piece that outgrows its limit.

/** A whole line or item, or what is left to say of one that was longer than allowed. */
export type Piece = Uint8Array | TooLong;
export type TooLong = { readonly tooLongBytes: number };

/** Most objects fit, so that most pieces are copied once. */
const FIRST_BYTES = 16 * 1024;
const NOTHING = new Uint8Array(0);

export class PieceBuffer {
  readonly #bytesMax: number;
  #bytes: Uint8Array = NOTHING;
  /** May exceed the limit: then it only counts. */
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the next bytes of the piece; they are copied. */
  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length <= this.#bytesMax) {
      this.#reserve(length);
      this.#bytes.set(bytes, this.#length);
    } else {
      this.#bytes = NOTHING;
    }
    this.#length = length;
  }

  /** Ends the piece with its last bytes and hands it over; the buffer keeps nothing of it. */
  finish(last: Uint8Array): Piece {
    const isInOnePart = this.#length === 0;
    if (!isInOnePart) this.add(last);
    const length = isInOnePart ? last.length : this.#length;
    const whole = isInOnePart ? last : this.#bytes;
    this.#length = 0;
    this.#bytes = NOTHING;
    return length > this.#bytesMax ? { tooLongBytes: length } : whole.subarray(0, length);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.min(this.#bytesMax, Math.max(FIRST_BYTES, length, this.#bytes.length * 2)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** True for the remains of a piece that was longer than its limit. */
export function isTooLong(piece: Piece): piece is TooLong {
  return "tooLongBytes" in piece;
}
