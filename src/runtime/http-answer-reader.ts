// One HTTP/1.1 answer, read from bytes as they come off a connection: its head, its body without framing, its end. It takes what API
// servers and proxies send and refuses the rest: an answer that two readers could understand in two ways is none.
import { type AnswerHead, bodyOf, HEAD_BYTES_MAX, isHeader, parseHead } from "./http-head.ts";

export type AnswerSink = {
  /** The final head; interim ones (1xx) are passed over. */
  head(head: AnswerHead): void;
  bytes(bytes: Uint8Array): void;
};

/** What came is not an answer that we can read. */
export class GarbledAnswerError extends Error {
  override readonly name = "GarbledAnswerError";
}

/** Sizes of chunks are told in a line of a few digits; extensions, which nobody uses, share this room. */
const SIZE_LINE_BYTES_MAX = 1_024;
const CRLF = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");
const BEGINNING = "HTTP/1.";
const SIZE_LINE = /^([0-9a-fA-F]{1,8})[\t ]*(?:;[\t\x20-\x7e]*)?$/;
const NOT_HTTP = "what came back is not HTTP; check whether the address should begin with https://";
const HEAD_TOO_LARGE = "the head of its answer is larger than 16 KiB; this is no API server";

type Part = "head" | "body" | "body to the close" | "chunk size" | "chunk" | "chunk end" | "trailers" | "done";

export class AnswerReader {
  readonly #sink: AnswerSink;
  #part: Part = "head";
  /** Of the body or chunk that is being read. */
  #bytesLeft = 0;
  #trailerBytes = 0;
  #isKeepable = false;
  /** What came of a line or a head that is not whole yet. */
  #begun: Buffer | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  get isDone(): boolean {
    return this.#part === "done";
  }

  /** True when the server will take another request on this connection. */
  get isKeepable(): boolean {
    return this.#isKeepable;
  }

  /** True when the answer is whole if the connection closes now. */
  get mayClose(): boolean {
    return this.#part === "body to the close";
  }

  /** Reads on, and returns how many bytes came after the end of the answer; throws when this can be none. */
  read(bytes: Buffer): number {
    let from = 0;
    const all = this.#begun === undefined ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = undefined;
    while (from < all.length && this.#part !== "done") {
      const to = this.#readPart(all, from);
      if (to === undefined) {
        this.#begun = all.subarray(from);
        return 0;
      }
      from = to;
    }
    return all.length - from;
  }

  /** Where the part that begins at `from` ends; undefined if it is not whole yet. */
  #readPart(all: Buffer, from: number): number | undefined {
    switch (this.#part) {
      case "head":
        return this.#readHead(all, from);
      case "body":
      case "chunk":
        return this.#readBytes(all, from);
      case "body to the close":
        this.#sink.bytes(all.subarray(from));
        return all.length;
      case "chunk size":
        return this.#readSize(all, from);
      case "chunk end":
        return this.#readChunkEnd(all, from);
      case "trailers":
        return this.#readTrailer(all, from);
      case "done":
        return from;
    }
  }

  #readHead(all: Buffer, from: number): number | undefined {
    const beginning = all.toString("latin1", from, from + BEGINNING.length);
    if (!BEGINNING.startsWith(beginning)) throw new GarbledAnswerError(NOT_HTTP);
    const end = all.indexOf(HEAD_END, from);
    if ((end === -1 ? all.length : end) - from > HEAD_BYTES_MAX) throw new GarbledAnswerError(HEAD_TOO_LARGE);
    if (end === -1) return undefined;
    const head = parseHead(all.toString("latin1", from, end));
    if (head === undefined) throw new GarbledAnswerError(NOT_HTTP);
    const isInterim = head.status < 200 && head.status !== 101;
    if (!isInterim) this.#begin(head);
    return end + HEAD_END.length;
  }

  #begin(head: AnswerHead): void {
    const body = bodyOf(head);
    if (body.is === "unclear") throw new GarbledAnswerError(body.because);
    // Behind a 101 the connection speaks another protocol, even if nothing has come of it yet.
    this.#isKeepable = body.is !== "to the close" && head.status !== 101 && head.isKeepable;
    switch (body.is) {
      case "sized":
        this.#bytesLeft = body.bytes;
        this.#part = body.bytes === 0 ? "done" : "body";
        break;
      case "chunked":
        this.#part = "chunk size";
        break;
      case "to the close":
        this.#part = "body to the close";
        break;
    }
    this.#sink.head(head);
  }

  #readBytes(all: Buffer, from: number): number {
    const to = Math.min(all.length, from + this.#bytesLeft);
    this.#bytesLeft -= to - from;
    if (this.#bytesLeft === 0) this.#part = this.#part === "chunk" ? "chunk end" : "done";
    this.#sink.bytes(all.subarray(from, to));
    return to;
  }

  #readSize(all: Buffer, from: number): number | undefined {
    const end = lineEnd(all, from, SIZE_LINE_BYTES_MAX);
    if (end === undefined) return undefined;
    const [, digits] = SIZE_LINE.exec(all.toString("latin1", from, end)) ?? [];
    if (digits === undefined) throw new GarbledAnswerError(brokenFraming("a chunk has no size"));
    this.#bytesLeft = Number.parseInt(digits, 16);
    this.#part = this.#bytesLeft === 0 ? "trailers" : "chunk";
    return end + CRLF.length;
  }

  #readChunkEnd(all: Buffer, from: number): number | undefined {
    const to = from + CRLF.length;
    if (all.length < to) return undefined;
    if (!all.subarray(from, to).equals(CRLF))
      throw new GarbledAnswerError(brokenFraming("a chunk is longer than it says"));
    this.#part = "chunk size";
    return to;
  }

  /** Nobody reads trailers; an empty line ends them and the answer. */
  #readTrailer(all: Buffer, from: number): number | undefined {
    const end = lineEnd(all, from, HEAD_BYTES_MAX - this.#trailerBytes);
    if (end === undefined) return undefined;
    this.#trailerBytes += end - from;
    if (end === from) this.#part = "done";
    else if (!isHeader(all.toString("latin1", from, end))) {
      throw new GarbledAnswerError(brokenFraming("something follows its last chunk"));
    }
    return end + CRLF.length;
  }
}

function lineEnd(all: Buffer, from: number, bytesMax: number): number | undefined {
  const end = all.indexOf(CRLF, from);
  if ((end === -1 ? all.length : end) - from > bytesMax)
    throw new GarbledAnswerError(brokenFraming("a line has no end"));
  return end === -1 ? undefined : end;
}

function brokenFraming(what: string): string {
  return `its answer is not framed as HTTP is: ${what}; see whether a proxy in between cuts answers`;
}
