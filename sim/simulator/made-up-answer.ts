// Answers that no server gave: what a process is told when a fault has the word.
import type { HttpAnswer, Transport } from "../../src/kube/transport.ts";

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

/** What a server says that does not serve: 429, 500, 503 or 504. */
export function statusAnswer(status: number): HttpAnswer {
  const reasons: Readonly<Record<number, string>> = {
    429: "TooManyRequests",
    503: "ServiceUnavailable",
    504: "Timeout",
  };
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
