// A proxy in front of an API server that does to each request what the test says. It ends TLS with a certificate of
// its own (the cluster's, so one authority fits both) and speaks HTTP/1.1 to both sides.
// Caveat: connections that are upgraded (exec, port-forward) are not carried.
//
// Beside this file:
//   fault.ts, request-class.ts               what may happen to a request, and which request it is
//   tcp-proxy.ts, gate.ts, troubled-link.ts  links that only carry bytes
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  Agent,
  createServer as createHttpsServer,
  type Server as HttpsServer,
  request as httpsRequest,
} from "node:https";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerAddress } from "../users.ts";
import { type Decide, type Fault, type Moment, type Observe, PASS, type ProxiedRequest, statusBody } from "./fault.ts";
import { classifyRequest, className } from "./request-class.ts";
import { TroubledLink } from "./troubled-link.ts";

export type FaultProxyOptions = {
  readonly target: ServerAddress;
  readonly certificate: { readonly cert: string; readonly key: string; readonly ca: string };
  readonly decide?: Decide;
  readonly observe?: Observe;
};

/** Headers that belong to one connection, not to the message. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

/** Longer than clients keep idle connections, so that the proxy is never the one who closes first. */
const IDLE_CONNECTION_MS = 300_000;

/** Starts a proxy on a free loopback port. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new FaultProxy(options);
  await proxy.link.listen();
  return proxy;
}

export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #https: HttpsServer;
  /** The connections below TLS, and the trouble that they can have. */
  readonly link = new TroubledLink((socket) => this.#accept(socket));
  /** By the client's port: only these can be reset. */
  readonly #sockets = new Map<number, Socket>();
  readonly #stopped = new AbortController();
  readonly #counts = new Map<string, number>();
  #target: ServerAddress;
  #decide: Decide;
  #seen = 0;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#target = options.target;
    this.#decide = options.decide ?? (() => PASS);
    const { cert, key } = options.certificate;
    this.#https = createHttpsServer({ cert, key, ALPNProtocols: ["http/1.1"] }, (request, response) => {
      this.#handle(request, response).catch(() => this.#reset(request));
    });
    this.#https.keepAliveTimeout = IDLE_CONNECTION_MS;
  }

  /** What clients connect to instead of the server. */
  get address(): ServerAddress {
    return { url: `https://127.0.0.1:${this.link.port}`, ca: this.#options.certificate.ca };
  }

  /** From now on `decide` says what happens to each request. */
  decideWith(decide: Decide): void {
    this.#decide = decide;
  }

  /** New requests go to another server; those under way stay where they are. */
  aimAt(target: ServerAddress): void {
    this.#target = target;
  }

  /** How many requests of each class have arrived, such as "patch pods/status"; most frequent first. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#counts].sort(([, a], [, b]) => b - a));
  }

  /** Forgets the counts. */
  resetCounts(): void {
    this.#counts.clear();
  }

  /** Ends every connection and stops listening. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#agent.destroy();
    await this.link.stop();
  }

  #accept(socket: Socket): void {
    const port = socket.remotePort ?? 0;
    this.#sockets.set(port, socket);
    socket.on("close", () => this.#sockets.delete(port));
    this.#https.emit("connection", socket);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = this.#describe(incoming);
    const tell = (moment: Moment, status?: number) => this.#options.observe?.(moment, request, status);
    response.on("error", () => {});
    incoming.on("error", () => {});
    tell("received");
    const fault = this.#decide(request);
    await this.link.gates.requests.opened();
    switch (fault.do) {
      case "drop":
        incoming.resume();
        return;
      case "reset":
        this.#reset(incoming);
        return;
      case "answer":
        await this.#answerOurselves(incoming, response, fault);
        return;
      case "delay":
        if (fault.what === "request") await this.#hold(fault.ms);
        break;
    }
    await this.#forward(incoming, response, fault, tell);
  }

  #describe(incoming: IncomingMessage): ProxiedRequest {
    const method = incoming.method ?? "GET";
    const path = incoming.url ?? "/";
    const request = { ...classifyRequest(method, path), number: ++this.#seen, method, path };
    const name = className(request);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return request;
  }

  async #answerOurselves(
    incoming: IncomingMessage,
    response: ServerResponse,
    fault: Extract<Fault, { do: "answer" }>,
  ): Promise<void> {
    incoming.resume();
    const retry = fault.retryAfterSeconds;
    await this.link.gates.answers.opened();
    response.writeHead(fault.status, {
      "content-type": "application/json",
      ...(retry === undefined ? {} : { "retry-after": String(retry) }),
    });
    response.end(statusBody(fault));
  }

  async #forward(
    incoming: IncomingMessage,
    response: ServerResponse,
    fault: Fault,
    tell: (moment: Moment, status?: number) => void,
  ): Promise<void> {
    const upstream = httpsRequest(this.#target.url + (incoming.url ?? "/"), {
      method: incoming.method,
      headers: withoutHopByHop(incoming.headers),
      agent: this.#agent,
      ca: this.#target.ca,
    });
    // A client that goes away takes its request along, once the server can learn of it.
    response.on("close", () => void this.link.gates.requests.opened().then(() => upstream.destroy()));
    incoming.pipe(upstream);
    tell("forwarded");
    const answer = await answerTo(upstream);
    if (fault.do === "lose-answer" || fault.do === "swallow") {
      for await (const _ of answer);
      tell("answered", answer.statusCode);
      if (fault.do === "lose-answer") this.#reset(incoming);
      return;
    }
    if (fault.do === "delay" && fault.what === "answer") await this.#hold(fault.ms);
    await this.#deliver(answer, response, fault.do === "break-answer" ? fault.afterBytes : Number.POSITIVE_INFINITY);
    tell("delivered", answer.statusCode);
  }

  async #deliver(answer: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<void> {
    await this.link.gates.answers.opened();
    response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
    response.flushHeaders();
    let sent = 0;
    for await (const chunk of answer) {
      await this.link.gates.answers.opened();
      const part: Buffer = chunk.subarray(0, bytesMax - sent);
      sent += part.length;
      await written(response, part);
      if (sent >= bytesMax) throw new Error("the answer is broken on purpose");
    }
    await this.link.gates.answers.opened();
    response.end();
  }

  async #hold(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopped.signal });
  }

  #reset(incoming: IncomingMessage): void {
    this.#sockets.get(incoming.socket.remotePort ?? 0)?.resetAndDestroy();
  }
}

function withoutHopByHop(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.includes(name)) kept[name] = value;
  }
  return kept;
}

function answerTo(upstream: ReturnType<typeof httpsRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upstream.on("response", resolve);
    upstream.on("error", reject);
    upstream.on("close", () => reject(new Error("the server closed the connection without an answer")));
  });
}

/** Resolves when the bytes have left our hands, so that a reset afterwards does not overtake them. */
function written(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => response.write(chunk, (error) => (error ? reject(error) : resolve())));
}
