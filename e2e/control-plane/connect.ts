// Our own client, bound to a cluster of the tests: what the operator uses, with fixed credentials.
import type { Client } from "../../src/kube/client/client.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import type { ServerAddress } from "./users.ts";

export type Connection = {
  readonly client: Client;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  /** Closes every connection to the server. */
  close(): void;
};

/** Connects to a server as the bearer of a token; `name` is our field manager. */
export function connect(address: ServerAddress, token: string, name: string): Connection {
  const clock = nodeClock();
  const rand = nodeRand();
  const credentials = fixedCredentials({ headers: { authorization: `Bearer ${token}` }, tls: { ca: address.ca } });
  const transport = createNodeTransport({ server: address.url, credentials, clock });
  const client = createClient({ transport, clock, rand, fieldManager: name });
  return { client, transport, clock, rand, close: () => transport.close() };
}
