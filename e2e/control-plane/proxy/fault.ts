// What may happen to one request on its way through the proxy, and to the whole link.
import type { RequestClass } from "./request-class.ts";

export type ProxiedRequest = RequestClass & {
  /** 1 for the first request the proxy has seen. */
  readonly number: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
};

export type Fault =
  | { readonly do: "pass" }
  /** Holds the request before it is forwarded, or the answer before it is delivered. */
  | { readonly do: "delay"; readonly what: "request" | "answer"; readonly ms: number }
  /** A black hole: never forwarded, never answered, the connection stays open. */
  | { readonly do: "drop" }
  /** Never forwarded; the client gets a connection reset. */
  | { readonly do: "reset" }
  /** Half-open: forwarded and answered, but nothing of the answer is delivered and the connection stays open. */
  | { readonly do: "swallow" }
  /** The write is committed and the server has answered; the client gets a connection reset instead. */
  | { readonly do: "lose-answer" }
  /** Delivers so many bytes of the answer's body, then a connection reset. */
  | { readonly do: "break-answer"; readonly afterBytes: number }
  /** Never forwarded; the proxy itself answers, as an API server that is busy or broken would. */
  | { readonly do: "answer"; readonly status: number; readonly reason?: string; readonly retryAfterSeconds?: number };

/** What the test decides for each request; called once per request, in the order of arrival. */
export type Decide = (request: ProxiedRequest) => Fault;

/** The steps of a request through the proxy: "answered" is when the server's whole answer is in the proxy's hands. */
export type Moment = "received" | "forwarded" | "answered" | "delivered";

export type Observe = (moment: Moment, request: ProxiedRequest, status: number | undefined) => void;

export type Direction = "requests" | "answers";

export const PASS: Fault = { do: "pass" };

/** The body that an API server sends with an error of its own. */
export function statusBody(fault: Extract<Fault, { do: "answer" }>): string {
  const reason = fault.reason ?? (fault.status === 429 ? "TooManyRequests" : "InternalError");
  const retry = fault.retryAfterSeconds;
  return JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `injected by the fault proxy: ${fault.status}`,
    reason,
    ...(retry === undefined ? {} : { details: { retryAfterSeconds: retry } }),
    code: fault.status,
  });
}
