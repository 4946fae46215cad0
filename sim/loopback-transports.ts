// Our own HTTP transport against servers on loopback, with its time moved by hand: the ground of the binding's tests.
import type { Server } from "node:net";
import { fixedCredentials } from "../src/kube/config/credentials.ts";
import type { HttpRequest } from "../src/kube/transport.ts";
import { TransportError } from "../src/kube/transport-error.ts";
import {
  createNodeTransport,
  type NodeTransport,
  type NodeTransportOptions,
} from "../src/runtime/node/node-transport.ts";
import { LoopbackServers } from "./loopback-servers.ts";
import { VirtualClock } from "./virtual-clock.ts";

export class LoopbackTransports {
  readonly #servers = new LoopbackServers();

  /** Starts a server and returns its address as a URL. */
  async listen(server: Server): Promise<string> {
    return `http://${await this.#servers.listen(server)}`;
  }

  /** A transport to a server, on a clock of its own. */
  transportTo(server: string, changes: Partial<NodeTransportOptions> = {}): NodeTransport & { clock: VirtualClock } {
    const clock = new VirtualClock();
    const transport = createNodeTransport({ server, clock, credentials: fixedCredentials(), ...changes });
    this.#servers.onClose(() => transport.close());
    return { ...transport, clock };
  }

  /** Closes every server and every transport. */
  close(): void {
    this.#servers.close();
  }
}

/** Until connections whose answers have come are free again: undici waits for a turn of the event loop. */
export async function nextTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A read whose path carries a token that no message may show. */
export const aGet: HttpRequest = {
  ...{ method: "GET", path: "/api/v1/pods?limit=5&continue=longtoken" },
  ...{ headers: {}, lane: "calls" },
};

export const aPost: HttpRequest = { ...aGet, method: "POST", path: "/api/v1/pods", body: "{}" };

/** The text of a body. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The error with which an exchange ends; one that is answered is a failure of the test. */
export async function failureOf(end: Promise<unknown>): Promise<TransportError> {
  const error = await end.then(
    () => new Error("it was answered"),
    (reason: unknown) => reason,
  );
  if (error instanceof TransportError) return error;
  throw error;
}
