// A proxy that knows only bytes, for links whose protocol does not matter: between an API server and etcd, or in front
// of a webhook.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Gate } from "./gate.ts";
import { TroubledLink } from "./troubled-link.ts";

/** Starts a proxy on a free loopback port in front of another one. */
export async function startTcpProxy(targetPort: number): Promise<TroubledLink> {
  const carry = (client: Socket) => {
    const server = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    link.keep(server);
    void pump(client, server, link.gates.requests);
    void pump(server, client, link.gates.answers);
  };
  const link = new TroubledLink(carry, { allowHalfOpen: true });
  await link.listen();
  return link;
}

/** Carries bytes one way, and the end of one side to the other. */
async function pump(from: Socket, to: Socket, gate: Gate): Promise<void> {
  try {
    for await (const chunk of from) {
      await gate.opened();
      if (!to.write(chunk)) await once(to, "drain");
    }
    await gate.opened();
    to.end();
  } catch {
    from.resetAndDestroy();
    to.resetAndDestroy();
  }
}
