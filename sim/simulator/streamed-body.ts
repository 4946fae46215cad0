// The body of a streamed answer on its way through a bad network: pieces come late but in order, now and then twice or spoilt,
// and the stream may break, end or fall silent for good, as a half-open connection does.
import type { Clock } from "../../src/kube/clock.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { ByteStream } from "../byte-stream.ts";
import type { Fault } from "./faults.ts";
import type { Incarnation } from "./incarnation.ts";

export type StreamedBodyOptions = {
  readonly incarnation: Incarnation;
  readonly clock: Clock;
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
  readonly note: (what: string) => void;
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
      this.#deliver(() => this.#line.end(), "ended");
      hangUp.abort(HUNG_UP);
      return false;
    }
    this.#bring(garbles.strikes() ? garbled(chunk) : chunk);
    if (repeats.strikes()) this.#bring(chunk);
    return true;
  }

  #bring(chunk: Uint8Array): void {
    this.#deliver(() => {
      this.#options.note(`sees ${eventOf(chunk)}`);
      this.#line.push(chunk);
    });
  }

  /** One connection keeps the order of what it carries. */
  #deliver(work: () => void, what?: string): void {
    const { clock, incarnation, delayMs, note } = this.#options;
    if (what !== undefined) note(what);
    if (this.#isSilent) return;
    this.#lastMs = Math.max(this.#lastMs, clock.monotonicMs() + delayMs());
    clock.after(this.#lastMs - clock.monotonicMs(), () => incarnation.deliver(work));
  }
}

/** The same line, which is no JSON any more. */
function garbled(chunk: Uint8Array): Uint8Array {
  const spoilt = Uint8Array.from(chunk);
  spoilt[0] = 0x7e;
  return spoilt;
}

const latin = new TextDecoder("latin1");
/** An event's type and the name of its object stand at its beginning. */
const EVENT_HEAD_BYTES = 400;

/** What an event is about, for the trace. */
function eventOf(chunk: Uint8Array): string {
  const head = latin.decode(chunk.subarray(0, EVENT_HEAD_BYTES));
  const type = /^\{"type":"(\w+)"/.exec(head)?.[1] ?? `${chunk.length} bytes`;
  const name = /"metadata":\{"(?:\w+":"[^"]*","){0,3}?name":"([^"]*)"/.exec(head)?.[1] ?? "";
  return `${type} ${name} of`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
