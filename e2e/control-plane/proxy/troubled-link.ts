// A loopback port behind which a proxy stands, and the trouble that a test can make there whatever the protocol: either direction is cut,
// connections are reset, or nobody answers.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Direction } from "./fault.ts";
import { Gate } from "./gate.ts";

export class TroubledLink {
  /** What goes one way waits for its gate. */
  readonly gates: Readonly<Record<Direction, Gate>> = { requests: new Gate(), answers: new Gate() };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #refuses = false;

  /** What each new connection is given to. */
  constructor(serve: (socket: Socket) => void, options: { readonly allowHalfOpen?: boolean } = {}) {
    this.#server = createServer(options, (socket) => {
      this.keep(socket);
      if (this.#refuses) socket.resetAndDestroy();
      else serve(socket);
    });
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

  /** Counts a connection among those that can be reset. */
  keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }

  /** Stops one direction, or both, for all connections; what is sent meanwhile waits for `heal`. */
  cut(...directions: readonly Direction[]): void {
    for (const direction of directions) this.gates[direction].cut();
  }

  /** Opens both directions and accepts connections again. */
  heal(): void {
    this.#refuses = false;
    for (const gate of Object.values(this.gates)) gate.heal();
  }

  /** Resets every connection and every attempt to make one, as a server that is down, until `heal`. */
  refuse(): void {
    this.#refuses = true;
    this.resetConnections();
  }

  /** Resets every open connection, watches included; new ones are welcome. */
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
}
