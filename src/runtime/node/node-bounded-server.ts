// An HTTP or HTTPS server of Node's with a limit on what a connection may cost. Who serves routes and who serves the embedded API
// both begin with it.
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";

export type ConnectionLimits = {
  readonly headerBytesMax: number;
  /** For a client to send its headers, and its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** API servers keep connections for reuse; closing first would fail their next call. */
  readonly keepAliveMs: number;
  readonly connectionsMax: number;
};

/** PEM texts. */
export type ServingCertificate = { readonly key: string; readonly cert: string };
/** The certificate, and for how long a client may take over its handshake if not as long as Node lets it. */
export type ServingTls = ServingCertificate & { readonly handshakeTimeout?: number };

/** Older versions are broken. */
const MIN_VERSION = "TLSv1.2";

/** Makes a server that does not listen yet; without a certificate it speaks plain HTTP. */
export function createBoundedServer(limits: ConnectionLimits, tls: ServingTls | undefined): Server | TlsServer {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytesMax,
    connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs) / 2,
  };
  const server =
    tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls, minVersion: MIN_VERSION });
  server.maxConnections = limits.connectionsMax;
  return server;
}

/** New connections of the server get this certificate; open ones keep theirs. */
export function changeCertificate(server: TlsServer, { key, cert }: ServingCertificate): void {
  server.setSecureContext({ key, cert, minVersion: MIN_VERSION });
}
