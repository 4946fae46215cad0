// Serves an embedded API server on loopback over HTTPS or HTTP, as kube-apiserver serves its port: answers with a length,
// watches piece by piece at the client's pace, and limits on what a client may send, hold and leave unread.
// Caveats: it asks nobody who they are and every token may do everything; that is why it serves loopback alone, and whoever
// starts it should say so.
import { once } from "node:events";
import type { Server } from "node:http";
import type { Clock } from "../../src/kube/clock.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { type Generation, issueGeneration } from "../../src/runtime/certificates/x509.ts";
import { type ConnectionLimits, createBoundedServer } from "../../src/runtime/node/node-bounded-server.ts";
import { nodeCryptoKeys } from "../../src/runtime/node/node-crypto-keys.ts";
import { ApiExchanges, isLoopback } from "./api-exchanges.ts";

export type ServeLimits = ConnectionLimits & {
  /** For a client to take what is sent to it. */
  readonly unreadMs: number;
  /** For answers under way when the server stops. */
  readonly drainMs: number;
};

export const SERVE_LIMITS: ServeLimits = {
  headerBytesMax: 64 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 90_000,
  unreadMs: 60_000,
  connectionsMax: 1_000,
  drainMs: 1_000,
};

export type ServeOptions = {
  readonly server: { readonly transport: () => Transport };
  /** 0 lets the system choose. */
  readonly port: number;
  readonly clock: Clock;
  /** An address of loopback; 127.0.0.1 unless told. */
  readonly host?: string;
  readonly scheme?: "https" | "http";
  /** An authority and its serving certificate; new ones are issued when absent. */
  readonly certificates?: Generation;
  readonly limits?: Partial<ServeLimits>;
  /** Hears of faults of our own; the client sees a Status of 500. */
  readonly onFault?: (fault: unknown) => void;
};

export type ServedApi = {
  /** "https://127.0.0.1:6443". */
  readonly url: string;
  readonly port: number;
  /** What clients must trust, as PEM; undefined over plain HTTP. */
  readonly ca: string | undefined;
  /** Ends all watches, lets other answers finish for a moment, and closes every connection. */
  stop(): Promise<void>;
};

const DAY_MS = 24 * 60 * 60_000;
const CERTIFICATE_LIFE_MS = 365 * DAY_MS;

/** Listens and serves; rejects with a message that names the port when it cannot be had. */
export async function serveApi(options: ServeOptions): Promise<ServedApi> {
  const { clock, port, host = "127.0.0.1", scheme = "https" } = options;
  if (!isLoopback(host))
    throw new Error(`the API is served on loopback only, not on ${host}: everyone who reaches it may do everything`);
  const certificates = scheme === "http" ? undefined : (options.certificates ?? issueFor(host, clock));
  const limits = { ...SERVE_LIMITS, ...options.limits };
  const exchanges = new ApiExchanges(options.server.transport(), { clock, limits, onFault: options.onFault });
  const tls = certificates && { key: certificates.key, cert: certificates.cert, handshakeTimeout: limits.headersMs };
  const server = createBoundedServer(limits, tls);
  server.on("request", (incoming, outgoing) => void exchanges.serve(incoming, outgoing));
  // A client that speaks no HTTP, or stops in the middle of a request, has nobody who wants an answer.
  server.on("clientError", (_error, socket) => socket.destroy());
  const chosen = await listen(server, port, host);
  return {
    url: `${scheme}://${host}:${chosen}`,
    port: chosen,
    ca: certificates?.ca,
    stop: () => stop(server, exchanges, clock, limits.drainMs),
  };
}

function issueFor(host: string, clock: Clock): Generation {
  const nowMs = clock.wallMs();
  const validity = { notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + CERTIFICATE_LIFE_MS };
  const hosts = [...new Set([host, "127.0.0.1", "localhost"])];
  return issueGeneration(nodeCryptoKeys(), { name: "embedded API server", hosts, ...validity });
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  try {
    server.listen({ port, host });
    await once(server, "listening");
  } catch (cause) {
    throw new Error(listenFault(cause, port, host), { cause });
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function listenFault(cause: unknown, port: number, host: string): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is taken by another program; stop it, or choose another port (0 takes a free one)`;
    case "EACCES":
      return `port ${port} on ${host} may not be used by this user; choose one above 1023 (0 takes a free one)`;
    default:
      return `cannot listen on port ${port} of ${host}: ${cause instanceof Error ? cause.message : cause}`;
  }
}

async function stop(server: Server, exchanges: ApiExchanges, clock: Clock, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  exchanges.end(() => server.closeIdleConnections());
  const cancel = clock.after(drainMs, () => server.closeAllConnections());
  await closed;
  cancel();
}
