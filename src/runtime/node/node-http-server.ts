// The binding of routes to Node's HTTP and HTTPS servers: limits on size, time and number, hot certificates, orderly stop.
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Clock } from "../../kube/clock.ts";
import { findRoute, type Routes, type ServerAnswer, type ServerRequest, textAnswer } from "../http/http-routes.ts";
import type { Logger } from "../log/log.ts";
import {
  type ConnectionLimits,
  changeCertificate,
  createBoundedServer,
  type ServingCertificate,
} from "./node-bounded-server.ts";

export type HttpLimits = ConnectionLimits & {
  readonly bodyBytesMax: number;
  readonly requestsMax: number;
};

export const HTTP_LIMITS: HttpLimits = {
  bodyBytesMax: 3 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 90_000,
  connectionsMax: 1_000,
  requestsMax: 200,
};

export type HttpServerOptions = {
  readonly name: string;
  readonly routes: Routes;
  readonly port: number;
  readonly host?: string;
  /** Without one the server speaks plain HTTP. */
  readonly certificate?: ServingCertificate;
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
  readonly limits?: Partial<HttpLimits>;
};

export class NodeHttpServer {
  readonly #options: HttpServerOptions;
  readonly #limits: HttpLimits;
  readonly #log: Logger;
  readonly #server: Server | TlsServer;
  #requests = 0;
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#log = options.log.with({ server: options.name });
    this.#server = createBoundedServer(this.#limits, options.certificate);
    this.#server.on("request", (incoming, outgoing) => void this.#serve(incoming, outgoing));
    // A connection that cannot be accepted, as when file handles have run out, is no reason to end.
    this.#server.on("error", (error) => this.#log.error("the server is in trouble", { error }));
  }

  /** Listens; rejects when the port cannot be had. Returns the port, which the system chose if it was 0. */
  async start(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : this.#options.port;
  }

  /** New connections get this certificate; open ones keep theirs. */
  setCertificate(certificate: ServingCertificate): void {
    if (!("setSecureContext" in this.#server)) throw new Error(`server "${this.#options.name}" has no TLS`);
    changeCertificate(this.#server, certificate);
  }

  /** Takes no new connections, lets requests finish for `drainMs`, then closes what is left. */
  async stop(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#isStopping = true;
    this.#closeIfIdle();
    const cancel = this.#options.clock.after(drainMs, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort(new Error("the client has gone")));
    this.#requests += 1;
    try {
      const answer = await this.#answer(incoming, gone.signal);
      await send(answer, incoming.method === "HEAD", outgoing, gone.signal);
    } catch (error) {
      // What went wrong is our business, not the client's.
      this.#log.error("a request failed", { method: incoming.method, path: pathOf(incoming), error });
      if (outgoing.headersSent) outgoing.destroy();
      else await send(textAnswer(500, "internal error"), false, outgoing, gone.signal);
    } finally {
      this.#requests -= 1;
      this.#closeIfIdle();
    }
  }

  /** Clients also hold connections over which they have asked nothing yet; Node does not count those as idle. */
  #closeIfIdle(): void {
    if (!this.#isStopping) return;
    if (this.#requests === 0) this.#server.closeAllConnections();
    else this.#server.closeIdleConnections();
  }

  async #answer(incoming: IncomingMessage, signal: AbortSignal): Promise<ServerAnswer> {
    const { bodyBytesMax, requestsMax } = this.#limits;
    if (this.#requests > requestsMax) return closing(textAnswer(503, "too many requests at once"));
    const encoding = incoming.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") return closing(textAnswer(415, "compressed bodies are not accepted"));
    const body = await readBody(incoming, bodyBytesMax);
    if (body === undefined) return closing(textAnswer(413, `the body is longer than ${bodyBytesMax} bytes`));
    const request = requestOf(incoming, body, signal);
    return findRoute(this.#options.routes, request.method, request.path)(request);
  }
}

function requestOf(incoming: IncomingMessage, body: Uint8Array, signal: AbortSignal): ServerRequest {
  const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]);
  return {
    ...{ method: incoming.method ?? "", path, body, signal },
    query: new URLSearchParams(query),
    headers: Object.fromEntries(headers),
  };
}

function pathOf(incoming: IncomingMessage): string {
  return (incoming.url ?? "").split("?", 1)[0] ?? "";
}

/** The whole body; undefined when it is longer than allowed. */
async function readBody(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > bytesMax) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Without this, leaving the loop early would close the connection before the refusal is sent.
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > bytesMax) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The rest of the request is not read, so the connection cannot be used again. */
function closing(answer: ServerAnswer): ServerAnswer {
  return { ...answer, headers: { ...answer.headers, connection: "close" } };
}

async function send(answer: ServerAnswer, isHead: boolean, outgoing: ServerResponse, signal: AbortSignal) {
  const { body = "" } = answer;
  const always = { "x-content-type-options": "nosniff", "cache-control": "no-store" };
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  const length = isWhole ? { "content-length": String(Buffer.byteLength(body)) } : {};
  outgoing.writeHead(answer.status, { ...always, ...answer.headers, ...length });
  if (isHead || isWhole) {
    outgoing.end(isHead || !isWhole ? undefined : body);
    return;
  }
  // A client that reads slowly slows the sequence down; one that has gone ends it.
  for await (const piece of body) {
    if (signal.aborted) return;
    if (!outgoing.write(piece)) await once(outgoing, "drain", { signal }).catch(() => undefined);
  }
  outgoing.end();
}
