// The body of an answer: collected whole within a limit, or handed over as it comes.
import type { IncomingMessage } from "node:http";
import { finished, pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Cancel, Clock } from "../kube/clock.ts";
import { TransportError } from "../kube/transport-error.ts";
import { chunksOf } from "./node-chunks.ts";
import { connectionError } from "./node-connection-error.ts";

export type Body = {
  readonly message: IncomingMessage;
  /** For messages: method, host and path. */
  readonly where: string;
  readonly signal: AbortSignal | undefined;
};

export type BodyLimits = {
  readonly clock: Clock;
  readonly bytesMax: number;
  /** A body may take long, but not stand still for long. */
  readonly idleTimeoutMs: number;
};

/** The body as it comes; `return()` closes the connection, also when reading never began. */
export function streamBody(body: Body): AsyncIterable<Uint8Array> {
  const source = decoded(body.message);
  return { [Symbol.asyncIterator]: () => chunksOf(source, (error) => failureOf(body, error)) };
}

/**
 * The whole body; rejects when it is longer than the limit, stands still, or ends early. It listens to the stream itself: an iterator
 * costs every small answer several promises and a turn of the event loop.
 */
export function collectBody(body: Body, limits: BodyLimits): Promise<Uint8Array> {
  const { message, where } = body;
  const source = decoded(message);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let fault: TransportError | undefined;
  const giveUp = (reason: TransportError) => {
    fault ??= reason;
    source.destroy();
  };
  const onIdle = () => {
    const says = `the answer stood still for ${limits.idleTimeoutMs} ms after ${size} bytes`;
    giveUp(new TransportError("timeout", `${where}: ${says}; see whether the network loses packets`));
  };
  // Most answers have come whole with their head, and what is here cannot stand still.
  const idle = message.complete ? nothingToWatch : watchIdle(limits, onIdle);
  return new Promise((resolve, reject) => {
    source.on("data", (chunk: Uint8Array) => {
      idle.touch();
      size += chunk.byteLength;
      if (size > limits.bytesMax) giveUp(tooLarge(where, limits.bytesMax));
      else chunks.push(chunk);
    });
    finished(source, { writable: false }, (error) => {
      idle.stop();
      if (error) reject(fault ?? withSizes(failureOf(body, error), where, size, message.headers["content-length"]));
      else resolve(joined(chunks, size));
    });
  });
}

/** Throws when the head of the answer already announces too much. */
export function assertFits(body: Body, bytesMax: number): void {
  if (Number(body.message.headers["content-length"] ?? 0) <= bytesMax) return;
  body.message.destroy();
  throw tooLarge(body.where, bytesMax);
}

function failureOf({ where, signal }: Body, error: Error): unknown {
  return signal?.aborted ? signal.reason : connectionError(where, error, true);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
}

function decoded(message: IncomingMessage): Readable {
  if (message.headers["content-encoding"] !== "gzip") return message;
  // The reader of the decoded stream hears of errors in both.
  return pipeline(message, createGunzip(), () => undefined);
}

type IdleWatch = { touch(): void; stop(): void };

const nothingToWatch: IdleWatch = { touch: () => undefined, stop: () => undefined };

/** Keeps one timer for the whole body instead of one per chunk. */
function watchIdle(limits: BodyLimits, onIdle: () => void): IdleWatch {
  const { clock, idleTimeoutMs } = limits;
  let lastMs = clock.monotonicMs();
  let cancel: Cancel = () => undefined;
  const check = () => {
    const leftMs = lastMs + idleTimeoutMs - clock.monotonicMs();
    if (leftMs <= 0) onIdle();
    else cancel = clock.after(leftMs, check);
  };
  check();
  return {
    touch() {
      lastMs = clock.monotonicMs();
    },
    stop: () => cancel(),
  };
}

function tooLarge(where: string, bytesMax: number): TransportError {
  const remedy = "ask for less at once, by page or by selector";
  return new TransportError("too-large", `${where}: the answer is longer than ${bytesMax} bytes; ${remedy}`);
}

function withSizes(error: unknown, where: string, size: number, declared: string | undefined): unknown {
  if (!(error instanceof TransportError) || error.reason !== "broken") return error;
  const of = declared === undefined ? "" : ` of ${declared}`;
  const says = `the connection closed after ${size}${of} bytes of the answer`;
  return new TransportError("broken", `${where}: ${says}; see whether a proxy in between cuts answers`, error.cause);
}
