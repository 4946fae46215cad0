// The body of a streamed answer on its way through a bad network: pieces come late but in order, now and then twice, spoilt or
// not at all, and the stream may break, end or fall silent for good, as a half-open connection does.
import type { Clock } from "../../../src/kube/clock.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import { ByteStream } from "../../byte-stream.ts";
import type { Fault } from "../faults/faults.ts";
import type { Incarnation } from "../incarnation.ts";
import type { Lane } from "../processor.ts";

export type StreamedBodyOptions = {
  readonly incarnation: Incarnation;
  readonly clock: Clock;
  /** In which its pieces reach the process, one after the other. */
  readonly lane: Lane;
  /** Closes the connection on the server's side. */
  readonly hangUp: AbortController;
  /** Aborted when the reader gives up. */
  readonly signal: AbortSignal | undefined;
  readonly delayMs: () => number;
  /** Asked for every piece. */
  readonly breaks: Fault;
  readonly ends: Fault;
  readonly fallsSilent: Fault;
  readonly repeats: Fault;
  readonly garbles: Fault;
  /** Asked for every bookmark, and for every event that changes something. */
  readonly losesBookmarks: Fault;
  readonly dropsEvents: Fault;
  /** `inWords` says the same to people, at more expense. */
  readonly note: (what: string, inWords?: () => string) => void;
};

/** A reason of our own spares the error that an abort without one makes. */
const HUNG_UP = "hung up";

export class StreamedBody implements AsyncIterable<Uint8Array> {
  readonly #options: StreamedBodyOptions;
  readonly #line: ByteStream;
  #lastMs = 0;
  #isSilent = false;

  constructor(options: StreamedBodyOptions) {
    this.#options = options;
    const { incarnation, hangUp, signal } = options;
    const close = () => hangUp.abort(HUNG_UP);
    const forget = incarnation.atDeath(close);
    hangUp.signal.addEventListener("abort", forget, { once: true });
    this.#line = new ByteStream(close);
    signal?.addEventListener(
      "abort",
      () => {
        close();
        this.#line.break(new TransportError("broken", "the client has closed the connection"));
      },
      { once: true },
    );
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#line[Symbol.asyncIterator]();
  }

  /** Carries everything over until one side has enough. */
  pump(chunks: AsyncIterable<Uint8Array>): void {
    const carry = async () => {
      for await (const chunk of chunks) if (!this.#carries(chunk)) return;
      this.#deliver(() => this.#line.end());
    };
    carry().catch((error: unknown) => this.#deliver(() => this.#line.break(asError(error))));
  }

  /** The server closes the stream in good order. */
  end(): void {
    this.#deliver(() => this.#line.end(), "ended");
    this.#options.hangUp.abort(HUNG_UP);
  }

  /** False when the stream is over with this piece. */
  #carries(chunk: Uint8Array): boolean {
    const { breaks, ends, fallsSilent, repeats, garbles, hangUp } = this.#options;
    if (fallsSilent.strikes()) this.#isSilent = true;
    if (breaks.strikes()) {
      this.#deliver(() => this.#line.break(new TransportError("broken", "the connection was reset")), "broken");
      hangUp.abort(HUNG_UP);
      return false;
    }
    if (ends.strikes()) {
      this.end();
      return false;
    }
    if (this.#isLost(chunk)) return true;
    this.#bring(garbles.strikes() ? garbled(chunk) : chunk);
    if (repeats.strikes()) this.#bring(chunk);
    return true;
  }

  #isLost(chunk: Uint8Array): boolean {
    const { losesBookmarks, dropsEvents, note } = this.#options;
    const sort = sortOf(chunk);
    if (sort === "other") return false;
    const isLost = (sort === "bookmark" ? losesBookmarks : dropsEvents).strikes();
    if (isLost) note(`never sees ${chunk.length} bytes of`, () => `never sees ${eventOf(chunk)}`);
    return isLost;
  }

  #bring(chunk: Uint8Array): void {
    this.#deliver(() => {
      this.#options.note(`sees ${chunk.length} bytes of`, () => `sees ${eventOf(chunk)}`);
      this.#line.push(chunk);
    });
  }

  /** One connection keeps the order of what it carries. */
  #deliver(work: () => void, what?: string): void {
    const { clock, incarnation, lane, delayMs, note } = this.#options;
    if (what !== undefined) note(what);
    if (this.#isSilent) return;
    this.#lastMs = Math.max(this.#lastMs, clock.monotonicMs() + delayMs());
    clock.after(this.#lastMs - clock.monotonicMs(), () => incarnation.deliver(lane, work));
  }
}

/** The same line, which is no JSON any more. */
function garbled(chunk: Uint8Array): Uint8Array {
  const spoilt = Uint8Array.from(chunk);
  spoilt[0] = 0x7e;
  return spoilt;
}

/** An event's type and the name of its object stand at its beginning. */
const EVENT_HEAD_BYTES = 400;

/** An event begins with its type. */
const opening = new TextEncoder().encode('{"type":"');
const TYPE_AT = opening.length;
const bookmark = "B".charCodeAt(0);
/** ADDED, MODIFIED, DELETED */
const changes: readonly number[] = [..."AMD"].map((letter) => letter.charCodeAt(0));
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The bookmark at the end of the initial events is part of what the server promises, unlike those that come now and then. */
function sortOf(chunk: Uint8Array): "bookmark" | "change" | "other" {
  const initial = isEvent(chunk) ? (chunk[TYPE_AT] ?? 0) : 0;
  if (changes.includes(initial)) return "change";
  return initial === bookmark && !latinText(chunk).includes(INITIAL_EVENTS_END) ? "bookmark" : "other";
}

/** A list comes as a stream too, and begins with its kind. */
function isEvent(chunk: Uint8Array): boolean {
  for (let at = 0; at < TYPE_AT; at++) if (chunk[at] !== opening[at]) return false;
  return true;
}

/** Byte by byte, without a decoder's care for what is no ASCII: it is looked at for every event of a run. */
function latinText(chunk: Uint8Array, bytesMax = chunk.length): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1", 0, bytesMax);
}

/** What an event is about, for the trace. */
function eventOf(chunk: Uint8Array): string {
  const head = latinText(chunk, EVENT_HEAD_BYTES);
  const type = /^\{"type":"(\w+)"/.exec(head)?.[1] ?? `${chunk.length} bytes`;
  const name = /"metadata":\{"(?:\w+":"[^"]*","){0,3}?name":"([^"]*)"/.exec(head)?.[1] ?? "";
  return `${type} ${name} of`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
