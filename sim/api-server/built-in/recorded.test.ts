// The built-in kinds of the contract, checked by this folder alone: decoding, defaults, admission and preparation must make
// of each request what the real server stored, and validation must say what it said. Metadata is the server's, apart from
// the labels and annotations that a kind sets.
import { expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { fillMarks } from "../../contract/marks.ts";
import { readRecording } from "../../contract/recordings.ts";
import { scenarios } from "../../contract/scenarios/index.ts";
import { metaOf, objectAt, textAt, withMeta } from "../api-object.ts";
import type { FieldError } from "../faults/field-error.ts";
import type { KindRules, ResourceType } from "../resource-type.ts";
import { builtInKinds } from "./built-in-kinds.ts";

const kinds = builtInKinds();

type Case = {
  readonly shows: string;
  readonly name: string;
  readonly type: ResourceType;
  readonly isCreate: boolean;
  readonly sent: JsonObject;
  readonly status: number;
  readonly answer: JsonObject;
};

function typeAt(path: string): ResourceType | undefined {
  const [, group = "", version, plural] =
    /^\/apis?(?:\/([^/]+))?\/(v1)(?:\/namespaces\/[^/]+)?\/(\w+)/.exec(path) ?? [];
  return kinds.find((type) => type.group === group && type.version === version && type.plural === plural);
}

/** A recorded value with legal identities instead of their ranks. */
function withIdentities<T>(recorded: T): T {
  return JSON.parse(JSON.stringify(recorded).replaceAll(/uid#(\d+)/g, "00000000-0000-4000-8000-00000000000$1"));
}

/** A value as recordings show it: without times. */
function withoutTimes<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"));
}

/** All creates and replacements of built-in objects; their marks are filled with whatever the recording shows. */
const cases = scenarios.flatMap((scenario) =>
  scenario.exchanges.flatMap(({ shows, method, path, body }, index): readonly Case[] => {
    const answer = withIdentities(readRecording(scenario)[index]?.answer ?? { status: 0, events: [] });
    const type = typeAt(path);
    if (type === undefined || !("body" in answer) || !isJsonObject(answer.body)) return [];
    if (
      (method !== "POST" && method !== "PUT") ||
      !isObject(body) ||
      path.includes("/binding") ||
      path.includes("/eviction")
    )
      return [];
    const marks = new Map([
      ["ns", `contract-${scenario.name}`],
      ...["rv", "uid", "owner", "now"].map((mark) => [mark, "x"] as const),
    ]);
    const sent = fillMarks(body, marks) as JsonObject;
    return [
      {
        shows,
        name: scenario.name,
        type,
        isCreate: method === "POST",
        sent,
        status: answer.status,
        answer: answer.body,
      },
    ];
  }),
);

function isObject(body: unknown): body is JsonObject {
  return typeof body === "object" && body !== null;
}

/** An object on its way to the store, with the identity that the recording shows. */
function prepared(rules: KindRules, sent: JsonObject, identity: JsonObject, isCreate: boolean): JsonObject {
  const decoded = rules.decode(sent);
  if (!decoded.ok) throw new Error(decoded.because);
  expect(decoded.unknown).toEqual([]);
  const owned = withMeta(decoded.value, { uid: identity.uid ?? "uid", namespace: identity.namespace });
  const admitted = rules.admit?.(owned) ?? owned;
  if (isCreate) return rules.prepareCreate?.(admitted) ?? admitted;
  return rules.prepareUpdate?.(admitted, admitted) ?? admitted;
}

const contentOf = (object: JsonObject) => {
  const { labels, annotations } = metaOf(object);
  return { ...object, metadata: { labels, annotations } };
};

const causesOf = (answer: JsonObject) =>
  (answer as unknown as { details: { causes: readonly FieldError[] } }).details.causes;
const sorted = (faults: readonly FieldError[]) =>
  faults.map(({ reason, message, field }) => JSON.stringify({ reason, message, field })).sort();
const ofKind = (faults: readonly FieldError[]) => faults.filter(({ field }) => !/^metadata\.(?!taints)/.test(field));

const stored = cases.filter(({ status }) => status === 201 || status === 200);

test("the contract stores many built-in objects", () => {
  expect(stored.length).toBeGreaterThan(45);
  expect(new Set(stored.map(({ type }) => type.kind)).size).toBeGreaterThan(8);
});

test.each(stored)("$name: $shows", ({ type, sent, answer, isCreate }) => {
  const object = prepared(type.rules, sent, metaOf(answer), isCreate);
  // A replacement keeps the count of templates, which this test does not know.
  expect(withoutTimes(contentOf(object))).toEqual(
    contentOf(isCreate ? answer : { ...answer, metadata: metaOf(object) }),
  );
  expect(isCreate ? (type.rules.validate?.(object) ?? []) : []).toEqual([]);
});

// Options of the request that are refused say nothing of the object.
const refused = cases.filter(
  ({ status, answer, isCreate, name }) =>
    isCreate && status === 422 && answer.reason === "Invalid" && name !== "write-options",
);

test.each(refused)("refused: $name: $shows", ({ type, name, sent, answer }) => {
  const object = prepared(type.rules, sent, { namespace: `contract-${name}` }, true);
  const faults = type.rules.validate?.(object) ?? [];
  expect(sorted(ofKind(faults))).toEqual(sorted(ofKind(causesOf(answer))));
});

test.each(
  cases.filter(({ status, answer }) => status === 400 && textAt(answer, "message").includes("cannot be handled")),
)("unreadable: $name: $shows", ({ type, sent, answer }) => {
  if (sent.kind !== type.kind || sent.apiVersion !== apiVersionOf(type)) return;
  const decoded = type.rules.decode(sent);
  const message = decoded.ok ? "" : withoutTimes(decoded.because);
  expect(textAt(answer, "message")).toBe(
    `${type.kind} in version "v1" cannot be handled as a ${type.kind}: ${message}`,
  );
});

/** A merge patch, as far as the cases below need one. */
function patched(object: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(object) ? object : {}));
  for (const [key, value] of Object.entries(patch)) merged.set(key, patched(merged.get(key), value));
  return Object.fromEntries(merged);
}

const env = [{ name: "main", env: [{ name: "A", value: "1" }], image: "img:2" }];

test.each([
  ["nodes", "a taint of no effect is refused", "a taint", { spec: { taints: [{ key: "k", effect: "Sometimes" }] } }],
  ["records", "its data cannot", "its number can change", { data: { spec: { b: 2, a: [1, "2"] } } }],
  ["pod-changes", "its environment cannot", "its image can change", { spec: { containers: env } }],
  ["pod-changes", "its node cannot", "its image can change", { spec: { nodeName: "n-2" } }],
  [
    "pod-changes",
    "a readiness gate cannot be added",
    "its status is changed through the subresource",
    { spec: { readinessGates: [{ conditionType: "example.dev/gate" }] } },
  ],
])("%s: %s", (name, shows, before, patch) => {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const bodyOf = (sentence: string) => {
    const recorded = withIdentities(readRecording(scenario).find((each) => each.shows === sentence)?.answer);
    if (recorded === undefined || !("body" in recorded)) throw new Error(`nothing shows that ${sentence}`);
    return JSON.parse(JSON.stringify(recorded.body).replaceAll("<time>", "2026-01-02T03:04:05Z"));
  };
  const old = bodyOf(before);
  const type = kinds.find(({ kind }) => kind === old.kind);
  const decoded = type?.rules.decode(patched(old, patch) as JsonObject);
  const faults = decoded?.ok ? type?.rules.validateUpdate?.(decoded.value, old) : undefined;
  expect(sorted(faults ?? [])).toEqual(sorted(causesOf(bodyOf(shows))));
});

test("a replacement of the selector is refused with the new one", () => {
  const { type, sent, answer } = cases.find(({ shows }) => shows === "the selector cannot change") ?? {};
  const first = cases.find(({ name, type: other }) => name === "update-built-in" && other.kind === "DaemonSet");
  if (type === undefined || sent === undefined || answer === undefined || first === undefined)
    throw new Error("no case");
  const next = prepared(type.rules, sent, {}, false);
  const old = prepared(type.rules, first.sent, {}, true);
  expect(sorted(type.rules.validateUpdate?.(next, old) ?? [])).toEqual(sorted(causesOf(answer)));
  expect(objectAt(metaOf(next), "annotations")).toEqual({ "deprecated.daemonset.template.generation": "0" });
});
