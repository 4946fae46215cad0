// One request and its whole answer, for tests and readiness checks: no retries, no cache, nothing shared with the
// client under test, so that a fault in that client cannot hide itself.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export type Call = {
  readonly method?: string;
  readonly token?: string;
  /** The authority to trust; absent means any certificate is taken, which only a health check may do. */
  readonly ca?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly timeoutMs?: number;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

const TIMEOUT_MS = 10_000;

/** Sends one request on a connection of its own; rejects when there is no whole answer in time. */
export function call(url: string, options: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers = {
      accept: "application/json",
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(body === undefined ? {} : { "content-type": options.contentType ?? "application/json" }),
    };
    const trust = options.ca === undefined ? { rejectUnauthorized: false } : { ca: options.ca };
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    const request = send(url, {
      method: options.method ?? (body === undefined ? "GET" : "POST"),
      headers,
      agent: false,
      ...trust,
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}
