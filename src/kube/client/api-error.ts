// An API server's "no", as a value that callers can branch on. Connections that break are `TransportError`s instead.
import { requestLine } from "./request-line.ts";

export type StatusCause = { readonly reason: string; readonly message: string; readonly field: string };

/** At most this much of a server's own words goes into our message: they end up in conditions, events and logs. */
const MESSAGE_LENGTH_MAX = 1_000;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The server's machine word, such as `Conflict`, `AlreadyExists` or `Invalid`; "" when the answer carried none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** How long the server asked us to stay away; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;
  readonly method: string;
  readonly path: string;
  /** How often it was tried to send the request. */
  readonly attempts: number;
  /** An earlier sending may have been carried out: then this "no" (exists, conflict, not found) may be its own trace. */
  readonly mayBeEcho: boolean;

  constructor(answer: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterMs?: number | undefined;
    readonly method: string;
    readonly path: string;
    readonly attempts?: number;
    readonly mayBeEcho?: boolean;
  }) {
    const words = [answer.status, answer.reason].filter((word) => word !== "").join(" ");
    super(`${requestLine(answer.method, answer.path)}: ${words}: ${shorten(answer.message)}`);
    this.status = answer.status;
    this.reason = answer.reason;
    this.causes = answer.causes ?? [];
    this.retryAfterMs = answer.retryAfterMs;
    this.method = answer.method;
    this.path = answer.path;
    this.attempts = answer.attempts ?? 1;
    this.mayBeEcho = answer.mayBeEcho ?? false;
  }
}

/** True when the object (or the resource itself) does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** True when what was applied does not fit the type of the object; for that the server has neither a word of its own nor a 4xx. */
export function isTypeFault(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 500 && error.message.includes("failed to create typed patch object")
  );
}

/** True when a create met an object of the same name. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "AlreadyExists";
}

/** True when a version or UID that we named is not the current one. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason !== "AlreadyExists";
}

/** True when a resource version or list position is too old for the server to continue from. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** True when our identity may not do this. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** True when a cause with this machine word is part of the answer, e.g. `NamespaceTerminating`. */
export function hasCause(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.causes.some((cause) => cause.reason === reason);
}

/** Control characters would let a server write lines of its own into our log or terminal. */
function shorten(words: string): string {
  const message = words.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${message.slice(0, MESSAGE_LENGTH_MAX)}… (shortened)`;
}
