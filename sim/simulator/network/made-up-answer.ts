// Answers that no server gave: what a process is told when a fault has the word.
import type { HttpAnswer, Transport } from "../../../src/kube/transport.ts";

/** A server that answers the same to everything. */
export function answering(answer: HttpAnswer): Transport {
  return {
    request: async () => answer,
    async stream() {
      const { body, ...head } = answer;
      const chunks = (async function* () {
        yield body;
      })();
      return { ...head, chunks };
    },
  };
}

const encoder = new TextEncoder();

const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** What a server says that refuses a request or does not serve. */
export function statusAnswer(status: number): HttpAnswer {
  const reason = reasons[status] ?? "InternalError";
  const body = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason,
    code: status,
    message: "a fault of the run",
  };
  const again = status === 429 ? { "retry-after": "1" } : {};
  return {
    status,
    headers: { "content-type": "application/json", ...again },
    body: encoder.encode(JSON.stringify(body)),
  };
}
