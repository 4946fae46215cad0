// What a server answers, without the server: requests and answers as values, and the table that joins them.
//
// Beside this file:
//   health.ts              /healthz, /readyz, /metrics
//   registry-transport.ts  the port to registries, judged addresses

export type ServerRequest = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; values of repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
};

export type ServerAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A sequence is sent piece by piece, as fast as the client reads. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
};

export type Handler = (request: ServerRequest) => ServerAnswer | Promise<ServerAnswer>;

/** Handlers by "METHOD /path". */
export type Routes = ReadonlyMap<string, Handler>;

/** The handler for a request; one that explains itself where there is none. HEAD is answered as GET. */
export function findRoute(routes: Routes, method: string, path: string): Handler {
  const found = routes.get(`${method === "HEAD" ? "GET" : method} ${path}`);
  if (found !== undefined) return found;
  const allowed = [...routes.keys()].flatMap((route) =>
    route.endsWith(` ${path}`) ? [route.split(" ")[0] ?? ""] : [],
  );
  if (allowed.length === 0) return () => textAnswer(404, "not found");
  return () => ({ ...textAnswer(405, "method not allowed"), headers: { ...plain, allow: allowed.sort().join(", ") } });
}

const plain = { "content-type": "text/plain; charset=utf-8" };

/** A short answer for people. */
export function textAnswer(status: number, text: string): ServerAnswer {
  return { status, headers: plain, body: `${text}\n` };
}
