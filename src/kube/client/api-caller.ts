// Sends one request until it is answered or must be given up: a slot in flight, a time limit per attempt, the retry rules.
// It stands between the verbs (create-client.ts) and the transport, which on its own only replaces dead connections.

import { type Clock, pause } from "../clock.ts";
import type { Rand } from "../rand.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import { printEscapedJson } from "../wire/json-text.ts";
import { withinTime } from "../within-time.ts";
import type { ApiCall } from "./client.ts";
import type { ConcurrencyLimit, Slot, SlotOutcome } from "./concurrency-limit.ts";
import { requestLine } from "./request-line.ts";
import { decideRetry, mayHaveActed, type RetryLimits } from "./retry.ts";
import { apiErrorOf } from "./status-answer.ts";

/** One exchange with the server, for metrics. `code` is the status, or why there was none. */
export type CallReport = {
  readonly verb: string;
  readonly resource: string;
  readonly code: string;
  /** Of this attempt, without the time it waited for a slot. */
  readonly durationMs: number;
  readonly waitedMs: number;
  readonly attempt: number;
};

export type CallerParts = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly lane: "calls" | "lease";
  /** Absent on the lease lane: a renewal must not queue behind other writes. */
  readonly concurrency: ConcurrencyLimit | undefined;
  readonly retry: RetryLimits;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  readonly userAgent: string;
  readonly onCall: (report: CallReport) => void;
};

/** Sorts of requests whose headers are remembered; a client sends a handful. */
const HEADERS_MAX = 100;

/** Makes the function behind every verb. It resolves with a 2xx answer and throws everything else. */
export function createCaller(parts: CallerParts): (call: ApiCall) => Promise<HttpAnswer> {
  const headersOf = rememberHeaders(parts.userAgent);
  return async (call) => {
    let request = requestOf(parts, call, headersOf);
    const startMs = parts.clock.monotonicMs();
    let mayBeEcho = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(parts, call, request, { attempt, mayBeEcho });
      } catch (error) {
        const elapsedMs = parts.clock.monotonicMs() - startMs;
        const retriesTooMany = call.retriesTooMany ?? true;
        const random = parts.rand.next();
        const { repeatable } = call;
        const windowMs = Math.min(parts.retry.windowMs, call.repeatWithinMs ?? parts.retry.windowMs);
        const limits = { ...parts.retry, windowMs };
        const verdict = decideRetry({ error, repeatable, retriesTooMany, attempt, elapsedMs, random }, limits);
        if (!verdict.retry) throw error;
        mayBeEcho ||= mayHaveActed(error);
        request = { ...request, ...notLaterThan(startMs + windowMs, error, parts.clock) };
        await pause(parts.clock, verdict.afterMs, call.signal);
      }
    }
  };
}

/** A repeat may have to wait for its turn, and is what failed before if that takes too long. */
function notLaterThan(untilMs: number, error: unknown, clock: Clock): Required<Pick<HttpRequest, "mayLeave">> {
  const mayLeave = () => {
    if (clock.monotonicMs() > untilMs) throw error;
  };
  return { mayLeave };
}

type HeadersOf = (accept: string, contentType: string | undefined) => HttpRequest["headers"];

/** Requests of one sort carry the very same headers, so that whoever writes them down need not look through them each time. */
function rememberHeaders(userAgent: string): HeadersOf {
  const known = new Map<string, HttpRequest["headers"]>();
  return (accept, contentType) => {
    const sort = `${accept} ${contentType}`;
    const found = known.get(sort);
    if (found !== undefined) return found;
    const type = contentType === undefined ? {} : { "content-type": contentType };
    const made = { accept, "user-agent": userAgent, ...type };
    if (known.size < HEADERS_MAX) known.set(sort, made);
    return made;
  };
}

function requestOf(parts: CallerParts, call: ApiCall, headersOf: HeadersOf): HttpRequest {
  const { method, path, accept = "application/json", contentType = "application/json" } = call;
  const { lane } = parts;
  const answerBytesMax = call.answerBytesMax ?? parts.answerBytesMax;
  if (call.body === undefined) return { method, path, lane, answerBytesMax, headers: headersOf(accept, undefined) };
  const body = printEscapedJson(call.body);
  return { method, path, lane, answerBytesMax, headers: headersOf(accept, contentType), body };
}

async function attemptOnce(
  parts: CallerParts,
  call: ApiCall,
  request: HttpRequest,
  { attempt, mayBeEcho }: { readonly attempt: number; readonly mayBeEcho: boolean },
): Promise<HttpAnswer> {
  const { clock } = parts;
  const queuedMs = clock.monotonicMs();
  const slot = await waitForSlot(parts, call);
  const sentMs = clock.monotonicMs();
  let code = "aborted";
  let outcome: SlotOutcome = "other";
  try {
    request.mayLeave?.();
    const answer = await send(parts, call, request);
    code = `${answer.status}`;
    outcome = outcomeOf(answer);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw apiErrorOf({ method: call.method, path: call.path, attempts: attempt, mayBeEcho }, answer);
  } catch (error) {
    if (error instanceof TransportError) {
      code = error.reason;
      outcome = error.reason === "timeout" ? "overload" : "other";
    }
    throw error;
  } finally {
    slot?.release(outcome);
    const durationMs = clock.monotonicMs() - sentMs;
    const { verb, resource } = call;
    parts.onCall({ verb, resource, code, durationMs, waitedMs: sentMs - queuedMs, attempt });
  }
}

/** 5xx is no success that proves room for more calls, and does not say that there were too many. */
function outcomeOf({ status }: HttpAnswer): SlotOutcome {
  if (status === 429) return "overload";
  return status >= 500 ? "other" : "good";
}

function waitForSlot(parts: CallerParts, call: ApiCall): Promise<Slot | undefined> {
  const { concurrency } = parts;
  if (concurrency === undefined) return Promise.resolve(undefined);
  if (concurrency.hasRoom) return concurrency.acquire(call.signal);
  const late = () =>
    new TransportError(
      "timeout",
      `${requestLine(call.method, call.path)}: not sent within ${parts.retry.windowMs} ms, because ` +
        `${concurrency.inFlight} calls are in flight and ${concurrency.waiting - 1} others wait; ` +
        "the API server is slow or turns us away",
    );
  const limit = { timeoutMs: parts.retry.windowMs, signal: call.signal, late };
  return withinTime(parts.clock, limit, (signal) => concurrency.acquire(signal));
}

function send(parts: CallerParts, call: ApiCall, request: HttpRequest): Promise<HttpAnswer> {
  const timeoutMs = call.timeoutMs ?? parts.timeoutMs;
  const late = () =>
    new TransportError(
      "timeout",
      `${requestLine(call.method, call.path)}: no answer within ${timeoutMs} ms; ` +
        "see whether the API server is overloaded or a firewall drops packets",
    );
  const limit = { timeoutMs, signal: call.signal, late };
  return withinTime(parts.clock, limit, (signal) => parts.transport.request({ ...request, signal }));
}
