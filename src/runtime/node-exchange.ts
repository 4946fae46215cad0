// One request on one connection, up to the head of the answer; the body then comes into a pile. The time limits are safety nets against a peer
// that accepts and then keeps silent; how long a caller is willing to wait is said by the caller's own signal.
import type { Cancel, Clock } from "../kube/clock.ts";
import type { Credentials } from "../kube/credentials.ts";
import type { HttpRequest } from "../kube/transport.ts";
import { TransportError, type TransportFailure } from "../kube/transport-error.ts";
import { type AnswerHead, printHead } from "./http-head.ts";
import { ChunkPile } from "./node-chunks.ts";
import type { Connection, Occupant, RequestText } from "./node-connection.ts";
import { connectionError } from "./node-connection-error.ts";
import type { Pool } from "./node-pools.ts";

/** Where the server is, taken apart once. */
export type ServerAddress = {
  readonly origin: string;
  readonly host: string;
  /** The path under which a proxy serves it, without its last slash. */
  readonly root: string;
};

export type Exchange = {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly server: ServerAddress;
  readonly request: HttpRequest;
  readonly credentials: Credentials;
  readonly limits: { readonly connectTimeoutMs: number; readonly headersTimeoutMs: number };
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

/** Sends a request and resolves with the head of the answer, or with why there is none; rejects what cannot be written down. */
export function openExchange(exchange: Exchange): Promise<Opened> {
  return new Promise((resolve) => {
    const { signal } = exchange.request;
    if (signal?.aborted) return resolve({ error: signal.reason, isStale: false });
    new RunningExchange(exchange, printRequest(exchange), resolve).begin();
  });
}

/** For messages. Without the query, which may be a long list position, and without anything from a header. */
export function whereOf({ server, request }: Pick<Exchange, "server" | "request">): string {
  return `${request.method} ${server.origin}${server.root}${request.path.replace(/\?.*$/, "")}`;
}

function printRequest({ server, request, credentials }: Exchange): RequestText {
  const { method, path, body } = request;
  const bodyBytes = body === undefined ? undefined : Buffer.byteLength(body);
  const headers = [request.headers, credentials.headers];
  return {
    head: printHead({ method, host: server.host, target: `${server.root}${path}`, headers, bodyBytes }),
    body,
    bodyBytes,
  };
}

class RunningExchange implements Occupant {
  readonly #exchange: Exchange;
  readonly #text: RequestText;
  readonly #resolve: (opened: Opened) => void;
  #connection: Connection | undefined;
  #body: ChunkPile | undefined;
  #leaveLine: Cancel = () => undefined;
  #stopTimer: Cancel = () => undefined;

  constructor(exchange: Exchange, text: RequestText, resolve: (opened: Opened) => void) {
    this.#exchange = exchange;
    this.#text = text;
    this.#resolve = resolve;
  }

  begin(): void {
    this.#exchange.request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#leaveLine = this.#exchange.pool.admit(this);
  }

  /** Waiting in line has no limit of its own. */
  taken(connection: Connection): void {
    this.#connection = connection;
    if (connection.isUp) return;
    const { connectTimeoutMs } = this.#exchange.limits;
    this.#limit(connectTimeoutMs, "unreachable", () => {
      const remedy = "see whether the address is right and no firewall drops packets";
      return `no connection within ${connectTimeoutMs} ms; ${remedy}`;
    });
  }

  up(): void {
    const { request, limits } = this.#exchange;
    const { headersTimeoutMs } = limits;
    try {
      request.mayLeave?.();
    } catch (error) {
      this.#fail(error, false);
      this.#connection?.vacate();
      return;
    }
    this.#limit(headersTimeoutMs, "timeout", () => {
      return `no answer within ${headersTimeoutMs} ms; see whether the API server is overloaded`;
    });
    this.#connection?.send(this.#text);
  }

  head(head: AnswerHead): void {
    this.#stopTimer();
    const connection = this.#connection;
    if (connection === undefined) return;
    const source = {
      pause: () => connection.pause(),
      resume: () => connection.resume(),
      close: () => this.#close(),
    };
    this.#body = new ChunkPile(source);
    this.#resolve({ answer: { head, body: this.#body, where: () => whereOf(this.#exchange) } });
  }

  bytes(bytes: Uint8Array): void {
    this.#body?.push(bytes);
  }

  end(): void {
    this.#stop();
    this.#body?.finish();
  }

  lost(error: Error): void {
    const wasUp = this.#connection?.isUp ?? false;
    const failure = connectionError(whereOf(this.#exchange), error, wasUp);
    this.#fail(failure, (this.#connection?.isKept ?? false) && failure.reason === "broken");
  }

  readonly #onAbort = () => {
    this.#leaveLine();
    this.#close();
    this.#fail(this.#exchange.request.signal?.reason, false);
  };

  #limit(ms: number, reason: TransportFailure, says: () => string): void {
    this.#stopTimer();
    this.#stopTimer = this.#exchange.clock.after(ms, () => {
      this.#close();
      this.#fail(new TransportError(reason, `${whereOf(this.#exchange)}: ${says()}`), false);
    });
  }

  /** Before the head whoever opened the exchange hears of it, afterwards who reads the body. */
  #fail(error: unknown, isStale: boolean): void {
    this.#stop();
    this.#resolve({ error, isStale });
    this.#body?.fail(error);
  }

  #close(): void {
    this.#stop();
    this.#connection?.close();
  }

  #stop(): void {
    this.#stopTimer();
    this.#exchange.request.signal?.removeEventListener("abort", this.#onAbort);
  }
}
