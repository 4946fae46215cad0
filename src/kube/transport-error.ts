// A connection that failed us. The reason tells the retry rules whether the server may have acted on the request.

/**
 * - `unreachable`: no connection came about, so nothing was sent and any request may be repeated.
 * - `untrusted`: the two sides do not accept each other's certificates; repeating will not help.
 * - `broken`: the connection ended before the answer did; the server may have acted.
 * - `timeout`: no answer in time; the server may have acted.
 * - `garbled`: what came back is not an answer of an API server (not HTTP, a redirect, a web page, not JSON).
 * - `too-large`: the answer is longer than the caller's limit.
 */
export type TransportFailure = "unreachable" | "untrusted" | "broken" | "timeout" | "garbled" | "too-large";

export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly reason: TransportFailure;

  constructor(reason: TransportFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
