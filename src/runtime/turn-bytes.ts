// What a connection brings within a turn of the event loop, gathered so that it is read in one piece. TLS hands over record by record, and a
// server cuts an event or an answer of more than 4 KiB into two of them: to read each by itself costs more than to copy it (docs/decisions/0006).

/**
 * No more is gathered: what came before is taken in when the next read does not fit. Nor does a read bring more; so many bytes has the largest record
 * of TLS, which hands over one at a time.
 */
export const TURN_BYTES_MAX = 16 * 1024;
/** Room for most answers to a write. */
const ROOM_BYTES_MIN = 8 * 1024;
const NOTHING = Buffer.alloc(0);

export class TurnBytes {
  #bytes: Buffer = NOTHING;
  #length = 0;
  /** A connection brings about as much in a turn as in the one before. */
  #roomBytes = ROOM_BYTES_MIN;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  hasRoomFor(size: number): boolean {
    return this.#length + size <= TURN_BYTES_MAX;
  }

  /** Adds a copy of the first `size` bytes. */
  add(bytes: Buffer, size: number): void {
    const length = this.#length + size;
    if (length > this.#bytes.length) this.#grow(length);
    bytes.copy(this.#bytes, this.#length, 0, size);
    this.#length = length;
  }

  /** All that was gathered, which is the caller's from now on. */
  take(): Buffer {
    const filled = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    // Whoever keeps it would keep the room around it, too, and count only what came. The room stays for the next turn: Node cuts rooms and copies
    // from the same slabs, and a new room for each turn would lie between two copies.
    if (2 * filled.length < this.#bytes.length) return Buffer.from(filled);
    this.#roomBytes = Math.min(TURN_BYTES_MAX, Math.max(ROOM_BYTES_MIN, filled.length));
    this.#bytes = NOTHING;
    return filled;
  }

  #grow(length: number): void {
    const room = Math.min(TURN_BYTES_MAX, Math.max(this.#roomBytes, this.#bytes.length * 2));
    const grown = Buffer.allocUnsafe(Math.max(length, room));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
