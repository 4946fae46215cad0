// The last check before a write leaves the process: whoever has lost the lease, or cannot know that it still holds it,
// must not write. It sits on the transport, so that retries of an old request pass it again, and goes along with the request
// down to the connection.
import type { HttpRequest, Transport } from "../../kube/transport.ts";

/** Returns when a write may be sent now; throws NotLeadingError otherwise. */
export type WriteFence = () => void;

export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** A transport that asks the fence before every request that could change something. */
export function fenceWrites(transport: Transport, fence: WriteFence): Transport {
  const fenced = (request: HttpRequest): HttpRequest => {
    if (request.method === "GET") return request;
    fence();
    // A request may wait for credentials or a connection, and be sent again on another: then it passes once more.
    const mayLeave = () => {
      request.mayLeave?.();
      fence();
    };
    return { ...request, mayLeave };
  };
  return {
    request: async (request) => transport.request(fenced(request)),
    stream: async (request) => transport.stream(fenced(request)),
  };
}
