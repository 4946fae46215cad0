// The Transport port on undici: HTTP/1.1 with keep-alive, directly or through a proxy. It presents the current credentials, repeats
// reads that died on a stale connection and what was met with 401 and fresh credentials, and says in plain words what went wrong.
//
// This folder binds the ports to Node: only it and main.ts import `node:`. Beside this file:
//   node-pools.ts, node-exchange.ts: connections, and one request on each
//   node-chunks.ts, node-body.ts: the body of an answer
//   node-connection-error.ts, node-tls-context.ts: errors and certificates, named
//   node-connector.ts, node-proxy-choice.ts: how a connection is opened, and through which proxy
//   node-registry.ts, node-address-reach.ts: registries, and which addresses they may have
//   node-http-server.ts, node-bounded-server.ts: servers
//   node-clock.ts, node-rand.ts, node-files.ts, node-crypto-keys.ts: the small ports
//   node-log-destination.ts, node-process-metrics.ts: log and process metrics
import type { Dispatcher } from "undici";
import type { Clock } from "../../kube/clock.ts";
import { areSameCredentials, type CredentialSource, type Credentials } from "../../kube/config/credentials.ts";
import type { HttpRequest, Transport } from "../../kube/transport.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { collectBody } from "./node-body.ts";
import { OTHER_PROTOCOL } from "./node-connection-error.ts";
import { type Answer, type AnswerHead, openExchange, type ServerAddress, whereOf } from "./node-exchange.ts";
import { NodePools, type PoolLimits } from "./node-pools.ts";
import { assertNotExpired } from "./node-tls-context.ts";

export type NodeTransportLimits = PoolLimits & {
  /** Until the head of the answer. API servers give up on a request themselves after 60 s. */
  readonly headersTimeoutMs: number;
  readonly bodyIdleTimeoutMs: number;
  /** The ceiling for one answer, whatever the caller allows. */
  readonly answerBytesMax: number;
};

const NODE_TRANSPORT_LIMITS: NodeTransportLimits = {
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
  /** The proxy on the way to the server; undefined for a direct connection. */
  readonly proxy?: URL | undefined;
  readonly limits?: Partial<NodeTransportLimits>;
};

export interface NodeTransport extends Transport {
  /** Closes every connection; later requests fail. */
  close(): void;
}

/** Makes the transport to one server. No connection is opened before the first request. */
export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const server = new URL(options.server);
  const limits = { ...NODE_TRANSPORT_LIMITS, ...options.limits };
  const { credentials, clock, proxy } = options;
  const address = { origin: server.origin, root: server.pathname.replace(/\/$/, ""), proxy: proxy?.origin };
  const pools = new NodePools({ server: new URL(server.origin), proxy }, limits, clock);
  const parts: Parts = { credentials, clock, address, limits, pools };
  return {
    async request(request) {
      const answer = await open(parts, request);
      const bytesMax = Math.min(request.answerBytesMax ?? limits.answerBytesMax, limits.answerBytesMax);
      const bodyLimits = { clock, bytesMax, idleTimeoutMs: limits.bodyIdleTimeoutMs };
      const { status, headers } = answer.head;
      return { status, headers, body: await collectBody(answer, bodyLimits) };
    },
    async stream(request) {
      const { head, body } = await open(parts, request);
      return { status: head.status, headers: head.headers, chunks: { [Symbol.asyncIterator]: () => body } };
    },
    close: () => parts.pools.close(),
  };
}

type Parts = {
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly address: ServerAddress;
  readonly limits: NodeTransportLimits;
  readonly pools: NodePools;
};

async function open(parts: Parts, request: HttpRequest): Promise<Answer> {
  const credentials = await parts.credentials.current();
  const answer = await send(parts, request, credentials);
  if (answer.head.status !== 401) return answer;
  // The server acted on nothing, so any request may be repeated; but only with something new to show.
  const fresh = await fresherThan(parts, credentials, answer);
  if (fresh === undefined) return answer;
  await answer.body.return();
  return send(parts, request, fresh);
}

async function fresherThan(parts: Parts, old: Credentials, refusal: Answer): Promise<Credentials | undefined> {
  parts.credentials.refused(old);
  try {
    const fresh = await parts.credentials.current();
    return areSameCredentials(fresh, old) ? undefined : fresh;
  } catch (error) {
    // Why there are no others says more than a bare 401; its body would hold the connection for ever.
    await refusal.body.return();
    throw error;
  }
}

async function send(parts: Parts, request: HttpRequest, credentials: Credentials): Promise<Answer> {
  const { limits, clock, address: server } = parts;
  const pool = poolOf(parts, request, credentials);
  let opened = await openExchange({ limits, clock, server, pool, request, credentials });
  // A write is the caller's to repeat: only who knows that it was sent twice can tell what the second answer means.
  if ("error" in opened && opened.isStale && request.method === "GET") {
    // One idle connection was dead, so its siblings are suspect: take a new one.
    parts.pools.replace(request.lane, pool);
    const fresh = poolOf(parts, request, credentials);
    opened = await openExchange({ limits, clock, server, pool: fresh, request, credentials });
  }
  if ("error" in opened) {
    // An authority or certificate that was replaced is on the disk before it is time to look there again.
    if (isUntrusted(opened.error)) parts.credentials.refused(credentials);
    throw opened.error;
  }
  await assertApiServer(opened.answer);
  return opened.answer;
}

function isUntrusted(error: unknown): boolean {
  return error instanceof TransportError && error.reason === "untrusted";
}

function poolOf(parts: Parts, request: HttpRequest, credentials: Credentials): Dispatcher {
  if (parts.pools.isClosed) {
    const where = whereOf({ server: parts.address, request });
    throw new TransportError("unreachable", `${where}: all connections are closed, because the program ends`);
  }
  try {
    const { pool, tls } = parts.pools.pool(request.lane, credentials.tls);
    if (tls !== undefined) assertNotExpired(tls, parts.clock.wallMs());
    return pool;
  } catch (error) {
    // A certificate and its key may have been read while somebody was replacing both: let them be read again.
    parts.credentials.refused(credentials);
    if (!(error instanceof TransportError)) throw error;
    const where = whereOf({ server: parts.address, request });
    throw new TransportError(error.reason, `${where}: ${error.message}`, error.cause);
  }
}

/** Throws when the head of the answer cannot come from an API server. */
async function assertApiServer({ head, body, where }: Answer): Promise<void> {
  const fault = foreignHead(head);
  if (fault === undefined) return;
  await body.return();
  throw new TransportError("garbled", `${where()}: ${fault}`);
}

function foreignHead({ status, headers }: AnswerHead): string | undefined {
  if (status === 101) return OTHER_PROTOCOL;
  if ([301, 302, 303, 307, 308].includes(status)) {
    const target = originOf(headers.location);
    return `answered with a redirect (${status}) to ${target}, which is not followed; give the final address as server`;
  }
  const isPage = headers["content-type"]?.includes("text/html") ?? false;
  if (isPage && status >= 200 && status < 300) {
    return "answered with a web page; give the address of the API server, not of a login page or a proxy";
  }
  const framing = headers["transfer-encoding"]?.toLowerCase() ?? "chunked";
  if (framing !== "chunked") return `the answer is sent as ${JSON.stringify(framing)}, which nobody asked for`;
  const encoding = headers["content-encoding"];
  const isReadable = encoding === undefined || encoding === "identity";
  return isReadable ? undefined : `the answer is encoded as ${JSON.stringify(encoding)}, which nobody asked for`;
}

/** The rest of a redirect's target may carry one-time tokens. */
function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : "another path";
}
