// One request on one connection, up to the head of the answer; the body then comes into a pile. undici parses and pools;
// the time limits are safety nets against a peer that accepts and then keeps silent. How long a caller is willing to wait
// is said by the caller's own signal.
//
// Guarantees: the request asks its caller's fence (`mayLeave`) in the same turn in which undici writes it, and undici writes
// it once at most. After an abort nothing is sent.
import type { Dispatcher } from "undici";
import type { Cancel, Clock } from "../../kube/clock.ts";
import type { Credentials } from "../../kube/config/credentials.ts";
import type { HttpRequest } from "../../kube/transport.ts";
import { TransportError, type TransportFailure } from "../../kube/transport-error.ts";
import { ChunkPile } from "./node-chunks.ts";
import { connectionError } from "./node-connection-error.ts";

/** Where the server is, taken apart once. */
export type ServerAddress = {
  readonly origin: string;
  /** The path under which a proxy serves it, without its last slash. */
  readonly root: string;
  /** For messages: the proxy on the way, if there is one. */
  readonly proxy: string | undefined;
};

export type Exchange = {
  readonly pool: Dispatcher;
  readonly clock: Clock;
  readonly server: ServerAddress;
  readonly request: HttpRequest;
  readonly credentials: Credentials;
  readonly limits: { readonly headersTimeoutMs: number };
};

export type AnswerHead = {
  readonly status: number;
  /** Names in lower case; what is there several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
};

export type Answer = {
  readonly head: AnswerHead;
  readonly body: ChunkPile;
  /** For messages: method, host and path. */
  readonly where: () => string;
};

export type Opened =
  | { readonly answer: Answer }
  /** `isStale`: the connection came from the pool, and it may have been dead before we used it. */
  | { readonly error: unknown; readonly isStale: boolean };

/** The connection that a pool gives to an exchange. */
export type LaneConnection = {
  /** Uses the connection; true when somebody has used it before. */
  use(): boolean;
};

type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Bytes above ASCII mean something else to every reader, and a line break would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const REQUEST_PATH = /^\/[\x21-\x7e]*$/;

/** Sends a request and resolves with the head of the answer, or with why there is none; rejects what cannot be written down. */
export function openExchange(exchange: Exchange): Promise<Opened> {
  return new Promise((resolve) => {
    const { signal } = exchange.request;
    if (signal?.aborted) return resolve({ error: signal.reason, isStale: false });
    new RunningExchange(exchange, resolve).begin();
  });
}

/** For messages. Without the query, which may be a long list position, and without anything from a header. */
export function whereOf({ server, request }: Pick<Exchange, "server" | "request">): string {
  const { origin, root, proxy } = server;
  const path = `${root}${request.path.replace(/\?.*$/, "")}`;
  return `${request.method} ${origin}${path}${proxy === undefined ? "" : ` through the proxy ${proxy}`}`;
}

function dispatchOptions({ server, request, credentials }: Exchange): Dispatcher.DispatchOptions {
  const path = `${server.root}${request.path}`;
  if (!REQUEST_PATH.test(path)) {
    throw new TypeError(`${request.method}: the path holds characters that have to be escaped`);
  }
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of [...Object.entries(request.headers), ...Object.entries(credentials.headers)]) {
    const values = typeof value === "string" ? [value] : [...value];
    // The value stays unsaid: it may be a credential.
    if (!HEADER_NAME.test(name) || !values.every((one) => HEADER_VALUE.test(one))) {
      throw new TypeError(
        `the header ${JSON.stringify(name)} holds characters that cannot be sent; see where it comes from`,
      );
    }
    headers[name] = typeof value === "string" ? value : values;
  }
  return {
    origin: server.origin,
    method: request.method,
    path,
    headers,
    body: request.body ?? null,
    // Also a DELETE with a body leaves its connection open.
    reset: false,
  };
}

export class RunningExchange implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #resolve: (opened: Opened) => void;
  #connection: LaneConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ChunkPile | undefined;
  #wasSent = false;
  #isKept = false;
  #isOver = false;
  #stopTimer: Cancel = () => undefined;

  constructor(exchange: Exchange, resolve: (opened: Opened) => void) {
    this.#exchange = exchange;
    this.#resolve = resolve;
  }

  /** Hands the request to the pool. Waiting for a connection has no limit of its own. */
  begin(): void {
    const { pool, request } = this.#exchange;
    const options = dispatchOptions(this.#exchange);
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    pool.dispatch(options, this);
  }

  assign(connection: LaneConnection): void {
    this.#connection = connection;
  }

  /** The connection is up, and undici writes the request when this returns; if it throws, the connection stays open. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#wasSent) throw new Error("this request must not be sent any more");
    const { request, limits } = this.#exchange;
    this.#isKept = this.#connection?.use() ?? false;
    try {
      request.mayLeave?.();
    } catch (error) {
      this.#fail(error, false);
      throw error;
    }
    this.#controller = controller;
    this.#wasSent = true;
    this.#limit(limits.headersTimeoutMs, "timeout", (ms) => {
      return `no answer within ${ms} ms; see whether the API server is overloaded`;
    });
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Interim heads precede the answer; 101 without the headers that belong to it is judged by the caller.
    if (status < 200 && status !== 101) return;
    this.#stopTimer();
    this.#body = new ChunkPile({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      close: () => this.#close(),
    });
    const head = { status, headers: joinValues(headers) };
    this.#resolve({ answer: { head, body: this.#body, where: () => whereOf(this.#exchange) } });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#stop();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return;
    const failure = connectionError(whereOf(this.#exchange), error, this.#wasSent, this.#body !== undefined);
    this.#fail(failure, this.#isKept && failure.reason === "broken");
  }

  readonly #onAbort = () => {
    this.#close();
    this.#fail(this.#exchange.request.signal?.reason, false);
  };

  #limit(ms: number, reason: TransportFailure, says: (ms: number) => string): void {
    this.#stopTimer = this.#exchange.clock.after(ms, () => {
      this.#close();
      this.#fail(new TransportError(reason, `${whereOf(this.#exchange)}: ${says(ms)}`), false);
    });
  }

  /** Before the head the opener of the exchange hears of it, afterwards the reader of the body. */
  #fail(error: unknown, isStale: boolean): void {
    this.#stop();
    this.#resolve({ error, isStale });
    this.#body?.fail(error);
  }

  /** Closes the connection, if there is one; a request that still waits for one is not sent any more. */
  #close(): void {
    this.#stop();
    this.#controller?.abort(new Error("the exchange was given up"));
  }

  #stop(): void {
    this.#isOver = true;
    this.#stopTimer();
    this.#exchange.request.signal?.removeEventListener("abort", this.#onAbort);
  }
}

function joinValues(headers: ResponseHeaders): Readonly<Record<string, string>> {
  // Without a prototype, whatever a header is called.
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
