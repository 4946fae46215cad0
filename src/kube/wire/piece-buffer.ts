// The part of a line or list item that has come so far. The two splitters share it: it grows by doubling, so a piece that
// comes byte by byte is copied a constant number of times, and it forgets a piece that outgrows its limit.
// It uses its memory again, because fresh memory for every second object of a long list costs more than cutting the list.

/**
 * A whole line or item, or what is left to say of one that was longer than allowed. Its bytes are good until the splitter
 * that gave it is pushed the next chunk.
 */
export type Piece = Uint8Array | TooLong;
export type TooLong = { readonly tooLongBytes: number };

/** Most objects fit, so that most pieces are copied once. */
const FIRST_BYTES = 16 * 1024;
/** Memory for longer pieces is given back: few objects need it. */
const KEPT_BYTES_MAX = 256 * 1024;
const NOTHING = new Uint8Array(0);

export class PieceBuffer {
  readonly #bytesMax: number;
  #bytes: Uint8Array = NOTHING;
  /** Holds the piece that was handed over last; the next but one may lie there again. */
  #handedOver: Uint8Array = NOTHING;
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

  /** Ends the piece with its last bytes and hands it over. A piece that came in one part is not copied. */
  finish(last: Uint8Array): Piece {
    if (this.#length === 0) return last.length > this.#bytesMax ? { tooLongBytes: last.length } : last;
    this.add(last);
    const length = this.#length;
    this.#length = 0;
    if (length > this.#bytesMax) return { tooLongBytes: length };
    const whole = this.#bytes;
    this.#bytes = this.#handedOver;
    this.#handedOver = whole.length > KEPT_BYTES_MAX ? NOTHING : whole;
    return whole.subarray(0, length);
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
