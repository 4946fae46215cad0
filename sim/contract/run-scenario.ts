// Plays a scenario against whatever answers on a transport, and returns its answers in the form that recordings have.

import type { HttpRequest, Transport } from "../../src/kube/transport.ts";
import { parseJson } from "../../src/kube/wire/json-text.ts";
import { type Answer, Normaliser, readBody, withoutPaths } from "./answer.ts";
import { fillMarks, fillText, type Kept, valueAt } from "./marks.ts";
import type { Exchange, Scenario } from "./scenario.ts";

/** The answers of a server to a scenario, one per exchange. */
export async function runScenario(transport: Transport, scenario: Scenario): Promise<readonly Answer[]> {
  const kept = new Map([["ns", `contract-${scenario.name}`]]);
  const normaliser = new Normaliser();
  const answers: Answer[] = [];
  await prepareNamespace(transport, kept);
  for (const exchange of scenario.exchanges) {
    const request = requestOf(exchange, kept);
    answers.push(
      exchange.events === undefined
        ? await callOnce(transport, request, exchange, kept, normaliser)
        : await watchSome(transport, request, exchange.events, normaliser),
    );
  }
  return answers;
}

async function callOnce(
  transport: Transport,
  request: HttpRequest,
  exchange: Exchange,
  kept: Map<string, string>,
  normaliser: Normaliser,
): Promise<Answer> {
  const { status, body: bytes } = await transport.request(request);
  const body = readBody(bytes);
  for (const [mark, path] of Object.entries(exchange.keep ?? {})) kept.set(mark, String(valueAt(body, path)));
  return { status, body: withoutPaths(normaliser.normalise(body), exchange.ignore ?? []) };
}

/** Reads a stream up to a number of events, or to its end. Bookmarks come only where the request asks for them. */
async function watchSome(
  transport: Transport,
  request: HttpRequest,
  eventsMax: number,
  normaliser: Normaliser,
): Promise<Answer> {
  const { status, chunks } = await transport.stream({ ...request, lane: "watches" });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split("\n").length > eventsMax) break;
  }
  const lines = text.split("\n").slice(0, eventsMax);
  return { status, events: lines.filter((line) => line !== "").map((line) => normaliser.normalise(parseJson(line))) };
}

function requestOf(exchange: Exchange, kept: Kept): HttpRequest {
  const { method, path, body, contentType = "application/json" } = exchange;
  const text = typeof body === "string" ? fillText(body, kept) : JSON.stringify(fillMarks(body, kept));
  const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": contentType }) };
  return { method, path: fillText(path, kept), headers, lane: "calls", ...(body === undefined ? {} : { body: text }) };
}

/** A namespace of the scenario's own, with the account that pods run under: no controller is there to make it. */
async function prepareNamespace(transport: Transport, kept: Kept): Promise<void> {
  const name = kept.get("ns");
  await create(transport, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default" },
    automountServiceAccountToken: false,
  };
  await create(transport, `/api/v1/namespaces/${name}/serviceaccounts`, account);
}

/** Creates an object that the scenarios need; a server that refuses it cannot be tested. */
export async function create(transport: Transport, path: string, object: unknown): Promise<void> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await transport.request({
    method: "POST",
    path,
    headers,
    body: JSON.stringify(object),
    lane: "calls",
  });
  if (answer.status !== 201)
    throw new Error(`cannot prepare ${path}: ${answer.status} ${new TextDecoder().decode(answer.body)}`);
}
