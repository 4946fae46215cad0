// A way to the API server that counts what goes over it, for the scoreboard of the story.
import type { Transport } from "../../src/kube/transport.ts";

export type RequestCounts = { reads: number; writes: number; watches: number };

/** The same transport; the counts grow with each request. */
export function countedTransport(transport: Transport, counts: RequestCounts): Transport {
  return {
    request: (request) => {
      if (request.method === "GET") counts.reads += 1;
      else counts.writes += 1;
      return transport.request(request);
    },
    stream: (request) => {
      counts.watches += 1;
      return transport.stream(request);
    },
  };
}
