// Servers on free loopback ports for the tests of our own bindings: started by name, closed together, connections included.
import type { Server, Socket } from "node:net";

export class LoopbackServers {
  readonly #closers: (() => void)[] = [];

  /** Starts a server and returns "127.0.0.1:port". */
  async listen(server: Server): Promise<string> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    });
    server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.onClose(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return `127.0.0.1:${address.port}`;
  }

  /** Remembers something else that ends with the servers. */
  onClose(close: () => void): void {
    this.#closers.push(close);
  }

  close(): void {
    for (const close of this.#closers.splice(0)) close();
  }
}
