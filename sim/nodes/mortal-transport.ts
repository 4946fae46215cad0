// A transport that is gone with its process: whatever its owner still tries afterwards does not reach the server.
import type { Transport } from "../../src/kube/transport.ts";

/** The same transport until the signal is aborted. */
export function mortalTransport(transport: Transport, life: AbortSignal): Transport {
  return {
    async request(request) {
      life.throwIfAborted();
      return transport.request(request);
    },
    async stream(request) {
      life.throwIfAborted();
      return transport.stream(request);
    },
  };
}
