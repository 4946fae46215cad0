// A proxy that knows only bytes, for links whose protocol does not matter: between an API server and etcd, or in front
// of a webhook. It can cut either direction, reset, and refuse.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Direction } from "./fault.ts";
import { Gate } from "./gate.ts";

/** Starts a proxy on a free loopback port in front of another one. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(targetPort);
  await proxy.listen();
  return proxy;
}

export class TcpProxy {
  readonly #targetPort: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #gates: Readonly<Record<Direction, Gate>> = { requests: new Gate(), answers: new Gate() };
  #refuses = false;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Begins to accept connections on a free loopback port. */
  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    const bound = this.#server.address();
    if (bound === null || typeof bound === "string") throw new Error("the proxy does not listen");
    return bound.port;
  }

  /** Stops one direction, or both, for all connections; what is sent meanwhile waits for `heal`. */
  cut(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#gates[direction].cut();
  }

  /** Opens both directions and accepts connections again. */
  heal(): void {
    this.#refuses = false;
    for (const gate of Object.values(this.#gates)) gate.heal();
  }

  /** Resets every connection and every attempt to make one, until `heal`. */
  refuse(): void {
    this.#refuses = true;
    this.resetConnections();
  }

  /** Resets every open connection; new ones are welcome. */
  resetConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Ends every connection and stops listening. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.resetConnections();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#refuses) {
      client.on("error", () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: this.#targetPort, host: "127.0.0.1", allowHalfOpen: true });
    this.#keep(client);
    this.#keep(server);
    void pump(client, server, this.#gates.requests);
    void pump(server, client, this.#gates.answers);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }
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
