// The port to an API server: bytes out, bytes in. Production binds it to HTTPS, a simulation to a function call.
// It knows nothing of objects or retries; a status of 500 is an answer here, only a broken connection is an error.
//
// The root of kube/ holds the ports and the words that all its folders share:
//   clock.ts, rand.ts, files.ts, transport-error.ts   the other ports, and how a connection fails
//   resource.ts, resource-version.ts, within-time.ts  objects, versions, time limits
//   client/client.ts                                  reads and writes, with retries
//   watch/reflector.ts, cache/cache.ts                watch/ keeps cache/ equal to the server
//   wire/codec.ts                                     bytes to objects
//   config/config.ts                                  where the cluster is, and who we are

/** Which pool of connections carries a request: long streams must not starve calls, and neither may starve the lease. */
export type Lane = "calls" | "watches" | "lease";

export type HttpRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, as in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly lane: Lane;
  readonly signal?: AbortSignal;
  /** The longest answer that the caller can use, in bytes; a longer one is an error. The binding has its own ceiling. */
  readonly answerBytesMax?: number;
  /** Asked when a connection is up, right before the request is handed to it, each time it is; throws to hold it back. */
  readonly mayLeave?: () => void;
};

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** What the body says, where the other side is in this process and has it as a value; to be read only. */
  readonly value?: unknown;
};

export type HttpStream = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends when the server ends the stream, rejects when the connection breaks; `return()` closes the connection. */
  readonly chunks: { [Symbol.asyncIterator](): ChunkIterator };
  /** The same for a chunk that is one whole line; undefined for one that has to be read. */
  readonly valueIn?: (chunk: Uint8Array) => unknown;
};

export type ChunkIterator = AsyncIterator<Uint8Array> & {
  /**
   * The next chunk if it is there already: waiting for each of many small ones costs more than reading them. All that is there
   * must not be more than can be read at a stretch, while others wait for their turn.
   */
  ready?(): Uint8Array | undefined;
};

export interface Transport {
  /** Sends a request and collects the whole answer, up to the binding's size limit. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Sends a request and hands over the body as it comes. */
  stream(request: HttpRequest): Promise<HttpStream>;
}
