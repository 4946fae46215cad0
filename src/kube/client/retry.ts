// Whether a failed request is sent again, and when. The rule is pure; `api-caller.ts` waits and sends.
// Guarantees: a request is repeated only when it never reached the server, was turned away unread, or is harmless twice.

import { TransportError } from "../transport-error.ts";
import { ApiError } from "./api-error.ts";

export type RetryLimits = {
  /** Sendings of one request, the first included. */
  readonly attemptsMax: number;
  /** From the first sending; no attempt starts later. */
  readonly windowMs: number;
  readonly delayMinMs: number;
  readonly delayMaxMs: number;
};

export const RETRY_LIMITS: RetryLimits = { attemptsMax: 5, windowMs: 60_000, delayMinMs: 200, delayMaxMs: 10_000 };

export type RetryVerdict =
  | { readonly retry: true; readonly afterMs: number }
  | { readonly retry: false; readonly because: string };

export type FailedAttempt = {
  readonly error: unknown;
  /** Doing it twice is the same as doing it once. */
  readonly repeatable: boolean;
  /** False where 429 answers the question itself. */
  readonly retriesTooMany: boolean;
  /** How often it was sent, from one. */
  readonly attempt: number;
  readonly elapsedMs: number;
  /** In [0, 1), for the jitter. */
  readonly random: number;
};

/** A Retry-After is stretched by up to this part, so that many clients turned away at once do not come back at once. */
const RETRY_AFTER_STRETCH = 0.25;

/** Decides whether and when to send a failed request again. */
export function decideRetry(failed: FailedAttempt, limits: RetryLimits): RetryVerdict {
  const refusal = refusalOf(failed);
  if (refusal !== undefined) return { retry: false, because: refusal };
  if (failed.attempt >= limits.attemptsMax) return { retry: false, because: `sent ${failed.attempt} times` };
  const afterMs = delayMs(failed, limits);
  if (failed.elapsedMs + afterMs > limits.windowMs) {
    return { retry: false, because: `the next attempt would start later than ${limits.windowMs} ms after the first` };
  }
  return { retry: true, afterMs };
}

/** True when the server may have carried out a request that ended so. */
export function mayHaveActed(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  return !(error instanceof TransportError && error.reason === "unreachable");
}

function refusalOf(failed: FailedAttempt): string | undefined {
  const { error } = failed;
  if (error instanceof TransportError) return refusalOfConnection(error, failed.repeatable);
  if (error instanceof ApiError) return refusalOfAnswer(error, failed);
  return "not a failure of the connection or the server";
}

function refusalOfConnection(error: TransportError, repeatable: boolean): string | undefined {
  switch (error.reason) {
    case "unreachable":
      return undefined;
    case "broken":
    case "timeout":
      return repeatable ? undefined : "the server may have acted already";
    case "untrusted":
    case "garbled":
    case "too-large":
      return `a repeat would be ${error.reason} again`;
  }
}

function refusalOfAnswer(error: ApiError, failed: FailedAttempt): string | undefined {
  // The server turns 429 away before it looks at the request, so even a create may be sent again.
  if (error.status === 429) return failed.retriesTooMany ? undefined : "429 is the answer to the question";
  // Kubernetes says 500 where no later attempt can succeed: an object above the store's size limit.
  if (error.status === 500 && error.message.includes("request is too large")) return "the object is too large to store";
  const isServerTrouble = error.status === 500 || (error.status >= 502 && error.status <= 504);
  if (!isServerTrouble) return `${error.status} is an answer`;
  return failed.repeatable ? undefined : "the server may have acted already";
}

function delayMs(failed: FailedAttempt, limits: RetryLimits): number {
  const ceiling = Math.min(limits.delayMaxMs, limits.delayMinMs * 2 ** (failed.attempt - 1));
  const backoff = ceiling * (0.5 + 0.5 * failed.random);
  const asked = failed.error instanceof ApiError ? (failed.error.retryAfterMs ?? 0) : 0;
  return Math.round(Math.max(backoff, asked * (1 + RETRY_AFTER_STRETCH * failed.random)));
}
