// How undici's pools open connections: directly or through a proxy's tunnel, each within a limit of time
// that our own clock measures.
import { type LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import type { Clock } from "../../kube/clock.ts";
import type { TlsContext } from "./node-tls-context.ts";

export type Connector = buildConnector.connector;

/** After this much silence the operating system asks the peer whether it is still there. */
const TCP_KEEP_ALIVE_MS = 15_000;

/** No connection came about in time, or all of them were closed meanwhile. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** What a connection to one server needs; HTTP/1.1 only, without a time limit of undici's own. */
export function connectionOptions(tls: TlsContext | undefined, lookup?: LookupFunction): buildConnector.BuildOptions {
  const options: buildConnector.BuildOptions = {
    allowH2: false,
    timeout: 0,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  };
  if (lookup !== undefined) Object.assign(options, { lookup });
  if (tls === undefined) return options;
  const { secureContext, skipVerify, serverName } = tls;
  Object.assign(options, { secureContext, rejectUnauthorized: !skipVerify });
  if (serverName !== undefined) Object.assign(options, { servername: serverName });
  return options;
}

/** Connects directly. TLS sessions are resumed until a connection fails. */
export function directConnector(tls: TlsContext | undefined): Connector {
  const build = () => buildConnector(connectionOptions(tls));
  let connect = build();
  // The socket is returned, although undici's types do not say so.
  return (options, callback) =>
    connect(options, (...outcome) => {
      // The session may be what the server choked on; a new connector presents none.
      if (outcome[0] !== null) connect = build();
      callback(...outcome);
    });
}

export type ConnectLimits = {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Ends all attempts that are under way. */
  readonly closing: AbortSignal;
};

/** The same connector; an attempt fails when it takes too long or the transport closes. */
export function limitedConnector(connect: Connector, limits: ConnectLimits): Connector {
  const { clock, connectTimeoutMs, closing } = limits;
  return (options, callback) => {
    let isOver = false;
    const giveUp = new AbortController();
    const finish: buildConnector.Callback = (...outcome) => {
      const [, socket] = outcome;
      if (isOver) return void socket?.destroy();
      isOver = true;
      cancel();
      closing.removeEventListener("abort", onClosing);
      // The first error says most: after an alert of TLS undici would report the end of the connection only.
      socket?.once("error", (error) => socket.destroy(error));
      // undici would dial again and again for a socket that breaks as it comes up.
      if (socket?.destroyed) callback(socket.errored ?? new NoConnectionError("it closed at once"), null);
      else callback(...outcome);
    };
    const fail = (says: string) => {
      giveUp.abort();
      if (dialled instanceof Socket) dialled.destroy();
      finish(new NoConnectionError(says), null);
    };
    const onClosing = () => fail("all connections are closed");
    const remedy = "see whether the address is right and no firewall drops packets";
    const cancel = clock.after(connectTimeoutMs, () => fail(`no connection within ${connectTimeoutMs} ms; ${remedy}`));
    closing.addEventListener("abort", onClosing, { once: true });
    // A tunnel that is being asked for heeds the signal.
    const dialled: unknown = connect(Object.assign({ signal: giveUp.signal }, options), finish);
  };
}
