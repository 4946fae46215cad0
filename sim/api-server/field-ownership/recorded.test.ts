// The recordings of the contract, played through the functions of ownership alone: from the body before and the request follow
// the object and the managed fields after.
import { describe, expect, test } from "vitest";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { fillMarks, valueAt } from "../../contract/marks.ts";
import { readRecording } from "../../contract/recordings.ts";
import type { Exchange } from "../../contract/scenario.ts";
import { scenarios } from "../../contract/scenarios/index.ts";
import { widgetDefinition } from "../../contract/widget.ts";
import { metaOf, nameOf, textAt, withFields } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { customTypes } from "../custom-resources/custom-resource-type.ts";
import { Refusal } from "../faults/status.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import { isTrue } from "../request/list-query.ts";
import type { ResourceType } from "../resource-type.ts";
import { TrackedOwnership } from "./tracked-ownership.ts";

const now = "2026-01-01T00:00:00Z";
const ownership = new TrackedOwnership();
const types = new Map(
  [...builtInKinds(), ...customTypes(widgetDefinition)].map((type) => [`${apiVersionOf(type)} ${type.plural}`, type]),
);

type Step = {
  readonly shows: string;
  readonly exchange: Exchange;
  /** Path, body and query as they were sent. */
  readonly body: Json;
  readonly query: URLSearchParams;
  readonly type: ResourceType;
  readonly subresource: string;
  readonly live: JsonObject | undefined;
  readonly answer: JsonObject;
};

/** Every recorded write of an object with the state that it met. */
const steps = scenarios.flatMap((scenario) => {
  const recorded = readRecording(scenario);
  const latest = new Map<string, JsonObject>();
  const kept = new Map([["ns", `contract-${scenario.name}`]]);
  return scenario.exchanges.flatMap((exchange, index): readonly Step[] => {
    const recording = recorded[index]?.answer;
    const answer = recording !== undefined && "body" in recording ? withTimes(recording.body) : undefined;
    if (!isJsonObject(answer)) return [];
    for (const [mark, path] of Object.entries(exchange.keep ?? {})) kept.set(mark, String(valueAt(answer, path)));
    const { place, type, name, subresource, query } = addressed(exchange);
    if (type === undefined) return [];
    const body = sentBody(exchange, kept);
    const key = `${place} ${name || nameOf(isJsonObject(body) ? body : {})}`.replace(
      "{{ns}}",
      `contract-${scenario.name}`,
    );
    const live = latest.get(key);
    if (textAt(answer, "kind") === type.kind && !query.has("dryRun")) latest.set(key, answer);
    const seen = live === undefined ? undefined : withFields(live, { apiVersion: apiVersionOf(type) });
    return [
      { shows: `${scenario.name}: ${exchange.shows}`, exchange, body, query, type, subresource, live: seen, answer },
    ];
  });
});

/** Recordings have a word in the place of times, which no kind can read. */
function withTimes(body: Json): Json {
  return JSON.parse(JSON.stringify(body).replaceAll("<time>", now));
}

function addressed({ path }: Exchange) {
  const url = new URL(path, "http://localhost");
  const found = /^\/apis?\/(.*?v\d\w*)(?:\/namespaces\/[^/]+(?=\/[a-z]))?\/([a-z]+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(
    decodeURIComponent(url.pathname),
  );
  const [, apiVersion = "", plural = "", name = "", subresource = ""] = found ?? [];
  const query = url.searchParams;
  return { place: plural, type: types.get(`${apiVersion} ${plural}`), name, subresource, query };
}

function sentBody({ body, method }: Exchange, kept: ReadonlyMap<string, string>): Json {
  if (method === "GET" || method === "DELETE" || body === undefined) return null;
  try {
    return typeof body === "string" ? JSON.parse(body) : JSON.parse(JSON.stringify(fillMarks(body, kept)));
  } catch {
    return null;
  }
}

/** Recorded managed fields are in the order of their texts, since their times are not those of the recording. */
function inTextOrder(entries: Json | undefined): readonly string[] {
  return isJsonList(entries) ? entries.map((entry) => JSON.stringify(withSortedKeys(entry))).sort() : [];
}

function withSortedKeys(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key] ?? null)]));
}

/** An object as its kind reads it. */
function read(type: ResourceType, object: JsonObject): JsonObject {
  const decoded = type.rules.decode(object);
  if (!decoded.ok) throw new Error(decoded.because);
  return decoded.value;
}

/** What a kind's own rules and counters change after ownership. */
function decided(object: JsonObject): JsonObject {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return { ...rest, labels: metaOf(object).labels ?? {} };
}

const media = (exchange: Exchange) => exchange.contentType ?? "application/json";
const applyMedia = "application/apply-patch+yaml";

describe("recorded applies", () => {
  const isOurs = ({ answer: { code, message } }: Step) =>
    code === undefined || /^(Apply failed|failed to create typed)/.test(String(message));
  const cases = steps.filter(
    (step) => media(step.exchange) === applyMedia && step.query.has("fieldManager") && isOurs(step),
  );

  test.each(cases)("$shows", ({ type, subresource, live, body, query, answer }) => {
    const write = { type, live, manager: query.get("fieldManager") ?? "", subresource, now };
    const apply = () =>
      ownership.apply(isJsonObject(body) ? body : {}, { ...write, force: isTrue(query.get("force")) });
    if (answer.code !== undefined) {
      expect(refusedBy(apply)).toEqual(answer);
      return;
    }
    const object = read(type, apply());
    expect(inTextOrder(metaOf(object).managedFields)).toEqual(inTextOrder(metaOf(answer).managedFields));
    expect(decided(object)).toEqual(decided(answer));
  });

  test("are played, all of them", () => {
    expect(cases.length).toBe(32);
  });
});

function refusedBy(apply: () => unknown): JsonObject | undefined {
  try {
    apply();
  } catch (error) {
    if (error instanceof Refusal) return error.body;
  }
  return undefined;
}

/** The object as ownership sees it in a create, a replacement or a merge patch; undefined for other requests. */
function nextOf({ exchange, body, live, type }: Step): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  if (exchange.method === "POST" || exchange.method === "PUT") return read(type, body);
  if (media(exchange) !== "application/merge-patch+json" || live === undefined) return undefined;
  return read(type, mergePatch(live, body));
}

describe("recorded creates, replacements and merge patches", () => {
  const cases = steps
    .filter(({ subresource }) => subresource === "" || subresource === "status")
    .filter(({ answer, type, exchange }) => textAt(answer, "kind") === type.kind && exchange.method !== "DELETE")
    .map((step) => ({ ...step, next: nextOf(step) }))
    .filter(({ next }) => next !== undefined);

  test.each(cases)("$shows", ({ type, subresource, live, next = {}, query, exchange, answer }) => {
    const before = exchange.method === "POST" ? undefined : live;
    const tracked = ownership.track(next, {
      ...{ type, live: before, manager: query.get("fieldManager") ?? "", subresource, now },
    });
    if (exchange.ignore?.includes("metadata.managedFields")) return;
    expect(inTextOrder(metaOf(tracked).managedFields)).toEqual(inTextOrder(metaOf(answer).managedFields));
  });

  test("are played in good number, of many kinds", () => {
    expect(cases.length).toBeGreaterThan(90);
    expect(new Set(cases.map(({ type }) => type.kind)).size).toBeGreaterThan(8);
  });
});

test("a recorded write of the scale takes the replicas over, without a time", () => {
  const type = types.get("contract.example.dev/v1 widgets");
  const live = steps.find(({ shows }) => /^subresources: status changes/.test(shows))?.answer ?? {};
  const after = steps.findLast(({ shows }) => /^subresources: status can be read/.test(shows))?.answer ?? {};
  if (type === undefined) throw new Error("there are no widgets");
  const next = mergePatch(live, { spec: { size: 7 } });
  const tracked = ownership.track(next, { type, live, manager: "unknown", subresource: "scale", now });
  expect(inTextOrder(metaOf(tracked).managedFields)).toEqual(inTextOrder(metaOf(after).managedFields));
});
