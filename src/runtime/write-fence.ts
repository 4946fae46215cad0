// The last check before a write leaves the process: whoever has lost the lease, or cannot know that it still holds it,
// must not write. It sits on the transport, so that retries of an old request pass it again.
import type { Transport } from "../kube/transport.ts";

/** Returns when a write may be sent now; throws NotLeadingError otherwise. */
export type WriteFence = () => void;

export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** A transport that asks the fence before every request that could change something. */
export function fenceWrites(transport: Transport, fence: WriteFence): Transport {
  return {
    async request(request) {
      if (request.method !== "GET") fence();
      return transport.request(request);
    },
    async stream(request) {
      if (request.method !== "GET") fence();
      return transport.stream(request);
    },
  };
}
