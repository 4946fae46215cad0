// Answers one request as an API server would: PATCH of any object, list and watch of nodes and pods, nothing else.
// A watch gets one chunk per event, because that is how API servers flush; a whole list is compressed only for those who ask.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Answers } from "./answers.ts";

type Answer = { readonly body: Uint8Array; readonly encoding?: "gzip" };

const JSON_TYPE = { "content-type": "application/json" };

/** Answers the request; a watch stays open until the client leaves. */
export async function serve(answers: Answers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "https://server");
  if (request.method === "PATCH") return answerPatch(answers, request, response);
  if (request.method !== "GET") return refuse(response, 405);
  const isWatch = url.searchParams.get("watch") === "true" || url.searchParams.get("watch") === "1";
  switch (url.pathname) {
    case "/api/v1/nodes":
      return isWatch ? stream(response, nodeLines(answers, url)) : send(response, nodesAnswer(answers, request, url));
    case "/api/v1/pods":
      return isWatch ? stream(response, podLines(answers, url)) : send(response, { body: answers.noPods });
    default:
      return refuse(response, 404);
  }
}

async function answerPatch({ pod }: Answers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  send(response, { body: pod });
}

function nodesAnswer(answers: Answers, request: IncomingMessage, url: URL): Answer {
  const limit = Number(url.searchParams.get("limit") ?? 0);
  const from = Number(url.searchParams.get("continue") ?? 0);
  if (limit > 0) return { body: answers.nodesPage({ from, limit }) };
  const isGzip = request.headers["accept-encoding"]?.includes("gzip") ?? false;
  return isGzip ? { body: answers.nodesGzipped, encoding: "gzip" } : { body: answers.nodes };
}

function nodeLines(answers: Answers, url: URL): Iterable<Uint8Array> {
  return sendsList(url) ? answers.nodeLines : [];
}

function* podLines(answers: Answers, url: URL): Iterable<Uint8Array> {
  if (sendsList(url)) yield* answers.noPodLines;
  yield* answers.podLines;
}

function sendsList(url: URL): boolean {
  return url.searchParams.get("sendInitialEvents") === "true";
}

function send(response: ServerResponse, { body, encoding }: Answer): void {
  const encoded = encoding === undefined ? {} : { "content-encoding": encoding };
  response.writeHead(200, { ...JSON_TYPE, ...encoded, "content-length": body.byteLength });
  response.end(body);
}

async function stream(response: ServerResponse, lines: Iterable<Uint8Array>): Promise<void> {
  response.writeHead(200, JSON_TYPE);
  response.flushHeaders();
  await pipeline(Readable.from(lines), response, { end: false });
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, JSON_TYPE);
  response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status }));
}
