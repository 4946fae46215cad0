// The Transport port on node:http and node:https: HTTP/1.1 with keep-alive. It presents the current credentials, repeats
// reads that died on a stale connection and what was met with 401 and fresh credentials, and says in plain words what went wrong.
import type { Agent, IncomingMessage } from "node:http";
import type { Clock } from "../kube/clock.ts";
import { areSameCredentials, type CredentialSource, type Credentials } from "../kube/credentials.ts";
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from "../kube/transport.ts";
import { TransportError } from "../kube/transport-error.ts";
import { closeIdle, NodeAgents } from "./node-agents.ts";
import { assertFits, type Body, collectBody, streamBody } from "./node-body.ts";
import { type Exchange, openExchange } from "./node-exchange.ts";
import { assertNotExpired } from "./node-tls-context.ts";

export type NodeTransportLimits = {
  /** Connections for calls; the client's limit of calls in flight should not be above it. */
  readonly callSocketsMax: number;
  /** Connections for watches: one for each resource that is watched. */
  readonly watchSocketsMax: number;
  readonly idleSocketMs: number;
  readonly connectTimeoutMs: number;
  /** Until the head of the answer. API servers give up on a request themselves after 60 s. */
  readonly headersTimeoutMs: number;
  readonly bodyIdleTimeoutMs: number;
  /** The ceiling for one answer, whatever the caller allows. */
  readonly answerBytesMax: number;
};

export const NODE_TRANSPORT_LIMITS: NodeTransportLimits = {
  callSocketsMax: 16,
  watchSocketsMax: 256,
  idleSocketMs: 60_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 70_000,
  bodyIdleTimeoutMs: 30_000,
  answerBytesMax: 256 * 1024 * 1024,
};

export type NodeTransportOptions = {
  /** "https://host:port", with a path where a proxy serves several clusters. */
  readonly server: string;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly limits?: Partial<NodeTransportLimits>;
  /** Worth it over a slow line; inside a cluster the network is faster than gzip. */
  readonly acceptsGzip?: boolean;
};

export interface NodeTransport extends Transport {
  /** Closes every connection. */
  close(): void;
}

/** Makes the transport to one server. No connection is opened before the first request. */
export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const server = new URL(options.server);
  const limits = { ...NODE_TRANSPORT_LIMITS, ...options.limits };
  const agents = new NodeAgents(server.protocol === "https:", limits);
  const acceptsGzip = options.acceptsGzip ?? false;
  const parts: Parts = { ...options, server, limits, agents, acceptsGzip, seenUp: new WeakSet() };
  return {
    async request(request) {
      const body = await open(parts, request);
      const bytesMax = Math.min(request.answerBytesMax ?? limits.answerBytesMax, limits.answerBytesMax);
      assertFits(body, bytesMax);
      const bodyLimits = { clock: options.clock, bytesMax, idleTimeoutMs: limits.bodyIdleTimeoutMs };
      return { ...headOf(body.message), body: await collectBody(body, bodyLimits) };
    },
    async stream(request) {
      const body = await open(parts, request);
      return { ...headOf(body.message), chunks: streamBody(body) };
    },
    close: () => agents.close(),
  };
}

type Parts = Omit<NodeTransportOptions, "server" | "limits" | "acceptsGzip"> & {
  readonly server: URL;
  readonly limits: NodeTransportLimits;
  readonly agents: NodeAgents;
  readonly acceptsGzip: boolean;
  readonly seenUp: Exchange["seenUp"];
};

async function open(parts: Parts, given: HttpRequest): Promise<Body> {
  // A watch is never packed: its reader wants each event now, not when a block is full.
  const isPacked = parts.acceptsGzip && given.lane !== "watches";
  const request = isPacked ? { ...given, headers: { ...given.headers, "accept-encoding": "gzip" } } : given;
  const credentials = await parts.credentials.current();
  const body = await send(parts, request, credentials);
  if (body.message.statusCode !== 401) return body;
  // The server acted on nothing, so any request may be repeated; but only with something new to show.
  const fresh = await fresherThan(parts, credentials, body);
  if (fresh === undefined) return body;
  body.message.destroy();
  return send(parts, request, fresh);
}

async function fresherThan(parts: Parts, old: Credentials, refusal: Body): Promise<Credentials | undefined> {
  parts.credentials.refused(old);
  try {
    const fresh = await parts.credentials.current();
    return areSameCredentials(fresh, old) ? undefined : fresh;
  } catch (error) {
    // Why there are no others says more than a bare 401; its body would hold the connection for ever.
    refusal.message.destroy();
    throw error;
  }
}

async function send(parts: Parts, request: HttpRequest, credentials: Credentials): Promise<Body> {
  const where = describe(parts.server, request);
  const agent = poolOf(parts, request, credentials, where);
  const { limits, clock, server, seenUp } = parts;
  const exchange = { ...limits, clock, server, seenUp, agent, request, credentials, where };
  let opened = await openExchange(exchange);
  // A write is the caller's to repeat: only who knows that it was sent twice can tell what the second answer means.
  if ("error" in opened && opened.isStale && request.method === "GET") {
    // One idle connection was dead, so its siblings are suspect: take a new one.
    closeIdle(agent);
    opened = await openExchange(exchange);
  }
  if ("error" in opened) {
    // An authority or certificate that was replaced is on the disk before it is time to look there again.
    if (isUntrusted(opened.error)) parts.credentials.refused(credentials);
    throw opened.error;
  }
  const body = { message: opened.message, where, signal: request.signal };
  assertApiServer(body, parts.acceptsGzip);
  return body;
}

function isUntrusted(error: unknown): boolean {
  return error instanceof TransportError && error.reason === "untrusted";
}

function poolOf(parts: Parts, request: HttpRequest, credentials: Credentials, where: string): Agent {
  try {
    const { agent, tls } = parts.agents.pool(request.lane, credentials.tls);
    if (tls !== undefined) assertNotExpired(tls, parts.clock.wallMs());
    return agent;
  } catch (error) {
    // A certificate and its key may have been read while somebody was replacing both: let them be read again.
    parts.credentials.refused(credentials);
    if (!(error instanceof TransportError)) throw error;
    throw new TransportError(error.reason, `${where}: ${error.message}`, error.cause);
  }
}

/** For messages. Without the query, which may be a long list position, and without anything from a header. */
function describe(server: URL, request: HttpRequest): string {
  return `${request.method} ${server.origin}${server.pathname.replace(/\/$/, "")}${request.path.replace(/\?.*$/, "")}`;
}

/** Throws when the head of the answer cannot come from an API server. */
function assertApiServer(body: Body, acceptsGzip: boolean): void {
  const { message, where } = body;
  const fault = foreignHead(message, acceptsGzip);
  if (fault === undefined) return;
  message.destroy();
  throw new TransportError("garbled", `${where}: ${fault}`);
}

function foreignHead(message: IncomingMessage, acceptsGzip: boolean): string | undefined {
  const { statusCode = 0, headers } = message;
  if ([301, 302, 303, 307, 308].includes(statusCode)) {
    const target = originOf(headers.location);
    return `answered with a redirect (${statusCode}) to ${target}, which is not followed; give the final address as server`;
  }
  const isPage = headers["content-type"]?.includes("text/html") ?? false;
  if (isPage && statusCode >= 200 && statusCode < 300) {
    return "answered with a web page; give the address of the API server, not of a login page or a proxy";
  }
  const encoding = headers["content-encoding"];
  const isReadable = encoding === undefined || encoding === "identity" || (encoding === "gzip" && acceptsGzip);
  return isReadable ? undefined : `the answer is encoded as ${JSON.stringify(encoding)}, which nobody asked for`;
}

/** The rest of a redirect's target may carry one-time tokens. */
function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : "another path";
}

function headOf(message: IncomingMessage): Pick<HttpAnswer & HttpStream, "status" | "headers"> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return { status: message.statusCode ?? 0, headers };
}
