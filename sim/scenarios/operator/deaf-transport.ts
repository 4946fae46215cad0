// A connection on which watches fall silent while everything else goes on, as when a middlebox has forgotten one of them. What was not
// heard is heard later.
import { type Clock, pause } from "../../../src/kube/clock.ts";
import type { HttpRequest, HttpStream, Transport } from "../../../src/kube/transport.ts";

/** How often somebody who hears nothing listens again. */
const LISTEN_EVERY_MS = 100;

/** The transport, of whose streams nothing arrives while the claim holds. */
export function deafTransport(
  transport: Transport,
  { clock, isDeafTo }: { readonly clock: Clock; readonly isDeafTo: (request: HttpRequest) => boolean },
): Transport {
  return {
    request: (request) => transport.request(request),
    stream: async (request) =>
      heldBack(await transport.stream(request), async () => {
        while (isDeafTo(request)) await pause(clock, LISTEN_EVERY_MS);
      }),
  };
}

/** The stream, of which each chunk waits until it may be heard. */
function heldBack(stream: HttpStream, untilHeard: () => Promise<void>): HttpStream {
  return {
    ...stream,
    chunks: {
      [Symbol.asyncIterator]: () => {
        const chunks = stream.chunks[Symbol.asyncIterator]();
        return {
          next: async () => {
            const chunk = await chunks.next();
            await untilHeard();
            return chunk;
          },
          return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
        };
      },
    },
  };
}
