// One request on one connection, up to the head of the answer. The time limits are safety nets against a peer that accepts
// and then keeps silent; how long a caller is willing to wait is said by the caller's own signal.
import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Cancel, Clock } from "../kube/clock.ts";
import type { Credentials } from "../kube/credentials.ts";
import type { HttpRequest } from "../kube/transport.ts";
import { TransportError, type TransportFailure } from "../kube/transport-error.ts";
import { connectionError } from "./node-connection-error.ts";

/** After this much silence the operating system asks the peer whether it is still there. */
const TCP_KEEP_ALIVE_MS = 15_000;

const OTHER_PROTOCOL =
  "wants to go on in another protocol (101), which nobody asked for; see whether a proxy in between answers";

export type Exchange = {
  readonly agent: HttpAgent;
  readonly clock: Clock;
  readonly server: URL;
  readonly request: HttpRequest;
  readonly credentials: Credentials;
  /** For messages: method, host and path. */
  readonly where: string;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** The connections that have been up; shared by all exchanges of a transport. */
  readonly seenUp: WeakSet<Socket>;
};

export type Opened =
  | { readonly message: IncomingMessage }
  /** `isStale`: the connection came from the pool, and it may have been dead before we used it. */
  | { readonly error: unknown; readonly isStale: boolean };

/** Sends a request and resolves with the head of the answer, or with why there is none; rejects what cannot be written down. */
export function openExchange(exchange: Exchange): Promise<Opened> {
  return new Promise((resolve) => {
    const { signal, body, mayLeave } = exchange.request;
    if (signal?.aborted) return resolve({ error: signal.reason, isStale: false });
    const outgoing = start(exchange);
    let heldBack: { readonly reason: unknown } | undefined;
    const leave = () => {
      try {
        mayLeave?.();
        outgoing.end(body);
      } catch (reason) {
        heldBack = { reason };
        outgoing.destroy(new Error("held back"));
      }
    };
    const connection = follow(exchange, outgoing, mayLeave === undefined ? () => undefined : leave);
    const onAbort = () => outgoing.destroy(new TransportError("broken", `${exchange.where}: aborted`));
    signal?.addEventListener("abort", onAbort, { once: true });
    outgoing.once("response", (message) => {
      connection.stop();
      message.once("close", () => signal?.removeEventListener("abort", onAbort));
      resolve({ message });
    });
    const stop = () => {
      connection.stop();
      signal?.removeEventListener("abort", onAbort);
    };
    // Without a listener Node drops the connection and tells nobody.
    outgoing.once("upgrade", (_message, socket) => {
      stop();
      socket.destroy();
      resolve({ error: new TransportError("garbled", `${exchange.where}: ${OTHER_PROTOCOL}`), isStale: false });
    });
    outgoing.on("error", (error) => {
      stop();
      if (heldBack !== undefined) return resolve({ error: heldBack.reason, isStale: false });
      if (signal?.aborted) return resolve({ error: signal.reason, isStale: false });
      if (error instanceof TransportError) return resolve({ error, isStale: false });
      const failure = connectionError(exchange.where, error, connection.wasUp());
      resolve({ error: failure, isStale: connection.isKept() && failure.reason === "broken" });
    });
    // Node keeps what is written before the connection is up and sends it then, without asking anybody.
    if (mayLeave === undefined) outgoing.end(body);
  });
}

function start({ server, agent, request, credentials }: Exchange): ClientRequest {
  const isTls = server.protocol === "https:";
  const headers: Record<string, string | string[]> = { ...request.headers };
  for (const [name, value] of Object.entries(credentials.headers)) {
    headers[name] = typeof value === "string" ? value : [...value];
  }
  // Node frames the body of a DELETE only when its length is given; unframed, it would be read as the next request.
  if (request.body !== undefined) headers["content-length"] = String(Buffer.byteLength(request.body));
  return (isTls ? httpsRequest : httpRequest)({
    agent,
    method: request.method,
    // A literal IPv6 address stands in brackets in a URL only.
    host: server.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: server.port === "" ? (isTls ? 443 : 80) : Number(server.port),
    path: `${server.pathname.replace(/\/$/, "")}${request.path}`,
    headers,
  });
}

type Following = { stop(): void; wasUp(): boolean; isKept(): boolean };

/** Sets the limit for connecting, tells when that is done, and sets the one for the head of the answer. Waiting for a free connection counts as neither. */
function follow(exchange: Exchange, outgoing: ClientRequest, whenUp: () => void): Following {
  const { clock, where, connectTimeoutMs, headersTimeoutMs, seenUp } = exchange;
  let isUp = false;
  let isKept = false;
  let cancel: Cancel = () => undefined;
  const limit = (ms: number, reason: TransportFailure, says: string) => {
    cancel();
    cancel = clock.after(ms, () => outgoing.destroy(new TransportError(reason, `${where}: ${says}`)));
  };
  const onUp = () => {
    isUp = true;
    const remedy = "see whether the API server is overloaded";
    limit(headersTimeoutMs, "timeout", `no answer within ${headersTimeoutMs} ms; ${remedy}`);
    whenUp();
  };
  outgoing.once("socket", (socket) => {
    // Node's own `reusedSocket` is false for a request that waited until another had done with its connection.
    isKept = outgoing.reusedSocket || seenUp.has(socket);
    if (isKept) return onUp();
    const remedy = "see whether the address is right and no firewall drops packets";
    limit(connectTimeoutMs, "unreachable", `no connection within ${connectTimeoutMs} ms; ${remedy}`);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      seenUp.add(socket);
      onUp();
    });
  });
  return { stop: () => cancel(), wasUp: () => isUp, isKept: () => isKept };
}
