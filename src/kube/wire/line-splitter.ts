// Cuts the bytes of a watch into lines, one event each. First step of the read side: transport → lines → codec → store.
import { type Piece, PieceBuffer } from "./piece-buffer.ts";

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #open: PieceBuffer;

  constructor(lineBytesMax: number) {
    this.#open = new PieceBuffer(lineBytesMax);
  }

  /** How long the line is that has not ended yet. */
  get openBytes(): number {
    return this.#open.length;
  }

  /** The lines that end in this chunk, without their newline. A line that never ends was cut off and is nobody's. */
  *push(chunk: Uint8Array): Generator<Piece, void> {
    // Node's own search for a byte is many times faster than that of typed arrays.
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      const last = bytes.subarray(from, end);
      from = end + 1;
      yield this.#open.finish(last);
    }
    if (from < bytes.length) this.#open.add(bytes.subarray(from));
  }
}
