// One request over HTTP, from the socket to the API server and back. kube-apiserver's manners: a body of at most 3 MiB, a
// Status for whatever goes wrong, a watch that lives exactly as long as its client.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cancel, Clock } from "../../src/kube/clock.ts";
import type { HttpRequest, HttpStream, Transport } from "../../src/kube/transport.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import {
  internalError,
  methodNotAllowed,
  Refusal,
  requestTooLarge,
  unsupportedMediaType,
} from "../api-server/faults/status.ts";
import { BODY_BYTES_MAX } from "../api-server/request/json-body.ts";
import { isWatch } from "../api-server/request/list-query.ts";

type Settings = {
  readonly clock: Clock;
  readonly limits: { readonly unreadMs: number };
  readonly onFault: ((fault: unknown) => void) | undefined;
};

type Chunks = AsyncIterator<Uint8Array>;

const LOOPBACK = /^(127(\.[0-9]{1,3}){3}|localhost)$/;

/** True for the names and addresses of this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

export class ApiExchanges {
  readonly #transport: Transport;
  readonly #settings: Settings;
  readonly #streams = new Set<Chunks>();
  #onIdle: (() => void) | undefined;

  constructor(transport: Transport, settings: Settings) {
    this.#transport = transport;
    this.#settings = settings;
  }

  /** Ends every stream in order, and calls back whenever an answer is done. */
  end(onIdle: () => void): void {
    this.#onIdle = onIdle;
    for (const chunks of this.#streams) void chunks.return?.();
  }

  /** Answers a request; never rejects. */
  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once("close", () => {
      gone.abort();
      this.#onIdle?.();
    });
    try {
      await this.#answer(incoming, outgoing, gone.signal);
    } catch (fault) {
      if (gone.signal.aborted) return;
      if (!(fault instanceof TransportError)) this.#settings.onFault?.(fault);
      const words = fault instanceof Error ? fault.message : String(fault);
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, internalError(words));
    }
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
    const { method = "" } = incoming;
    const asked = method === "HEAD" ? "GET" : method;
    if (!isKnown(asked)) return refuse(outgoing, methodNotAllowed());
    if (isWebPage(incoming))
      return refuse(outgoing, new Refusal(403, "Forbidden", "web pages may not call this server"));
    const { "content-encoding": encoding = "identity" } = incoming.headers;
    if (encoding !== "identity") return refuse(outgoing, unsupportedMediaType("compressed bodies are not accepted"));
    const body = await readBody(incoming);
    if (body === undefined) return refuse(outgoing, requestTooLarge(`limit is ${BODY_BYTES_MAX}`));
    const request: HttpRequest = {
      ...{ method: asked, path: incoming.url ?? "/", headers: headersOf(incoming), lane: "calls", signal },
      ...(body.byteLength === 0 ? {} : { body }),
    };
    if (method !== "HEAD" && isStreamed(request)) return this.#stream(await this.#transport.stream(request), outgoing);
    const answer = await this.#transport.request(request);
    outgoing.writeHead(answer.status, { ...always, ...answer.headers, "content-length": answer.body.byteLength });
    outgoing.end(method === "HEAD" ? undefined : answer.body);
    outgoing.once("close", this.#afterUnread(outgoing));
  }

  /** Gives up a client that does not take its answer in time, unless that is called off. */
  #afterUnread(outgoing: ServerResponse): Cancel {
    return this.#settings.clock.after(this.#settings.limits.unreadMs, () => outgoing.destroy());
  }

  /** A client that reads slowly slows the stream down; one that has gone, or reads nothing for too long, ends it. */
  async #stream({ status, headers, chunks }: HttpStream, outgoing: ServerResponse): Promise<void> {
    outgoing.writeHead(status, { ...always, ...headers });
    // Clients wait for the answer to begin before they wait for events.
    outgoing.flushHeaders();
    const iterator = chunks[Symbol.asyncIterator]();
    this.#streams.add(iterator);
    if (this.#onIdle !== undefined) void iterator.return?.();
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        if (!outgoing.write(next.value)) await this.#drained(outgoing);
        if (outgoing.destroyed) return;
      }
      outgoing.end();
    } finally {
      this.#streams.delete(iterator);
      void iterator.return?.();
    }
  }

  /** Resolves when the client has read what it was sent, or is gone. */
  async #drained(outgoing: ServerResponse): Promise<void> {
    if (outgoing.destroyed) return;
    const cancel = this.#afterUnread(outgoing);
    const closed = new AbortController();
    const onClose = () => closed.abort();
    outgoing.once("close", onClose);
    await once(outgoing, "drain", { signal: closed.signal }).catch(() => undefined);
    outgoing.off("close", onClose);
    cancel();
  }
}

const always = { "cache-control": "no-cache, private" };

function isKnown(method: string): method is HttpRequest["method"] {
  return ["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method);
}

/** Loopback is open to pages in a browser too. Those say where they come from, or have a name of theirs lead to us. */
function isWebPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || !isLoopback((headers.host ?? "").replace(/:[0-9]+$/, ""));
}

/** Everything but a watch has an end that is near. */
function isStreamed({ method, path }: HttpRequest): boolean {
  const mark = path.indexOf("?");
  return method === "GET" && mark >= 0 && isWatch(new URLSearchParams(path.slice(mark)));
}

function headersOf(incoming: IncomingMessage): HttpRequest["headers"] {
  const entries = Object.entries(incoming.headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));
}

/** The whole body; undefined when it is longer than the server reads. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Without this, leaving the loop early would close the connection before the refusal is sent.
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The rest of the request may be unread, so the connection is not used again. */
function refuse(outgoing: ServerResponse, { code, body }: Refusal): void {
  outgoing.writeHead(code, { ...always, "content-type": "application/json", connection: "close" });
  outgoing.end(JSON.stringify(body));
}
