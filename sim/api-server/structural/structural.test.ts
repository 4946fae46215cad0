// Custom resources of the contract, checked by this folder alone: what the real server stored and refused must come out.
import { expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/kube/wire/json-text.ts";
import { readRecording } from "../../contract/recordings.ts";
import { customResources } from "../../contract/scenarios/custom-resources.ts";
import { widgetDefinition } from "../../contract/widget.ts";
import type { FieldError } from "../faults/field-error.ts";
import type { Schema } from "../schema.ts";
import { applyDefaults } from "./apply-defaults.ts";
import { prune } from "./prune.ts";
import { compileSchema, type SchemaNode } from "./schema-node.ts";
import { validate } from "./validate.ts";
import { validateScale } from "./validate-scale.ts";

const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" };

function widgetSchema(): SchemaNode {
  const schema = widgetDefinition.spec.versions[0]?.schema.openAPIV3Schema;
  const compiled = compileSchema(schema as Schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return compiled.value;
}

type Case = { readonly shows: string; readonly sent: JsonObject; readonly status: number; readonly answer: JsonObject };

/** The creates of a scenario, with what the real server answered; strict ones and unreadable ones are the server's. */
function creates(name: string): readonly Case[] {
  const scenario = customResources.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const recorded = readRecording(scenario);
  return scenario.exchanges.flatMap(({ shows, method, path, body }, index): readonly Case[] => {
    const answer = recorded[index]?.answer;
    if (method !== "POST" || path.includes("?") || answer === undefined || !("body" in answer)) return [];
    const isText = typeof body === "string";
    if (answer.status === 400 || !isJsonObject(answer.body)) return [];
    return [
      { shows, sent: (isText ? parseJson(body) : body) as JsonObject, status: answer.status, answer: answer.body },
    ];
  });
}

const sorted = (faults: readonly FieldError[]) =>
  faults.map(({ reason, message, field }) => JSON.stringify({ reason, message, field })).sort();

/** As recordings show it: long integers as words. */
function shown(value: Json | undefined): unknown {
  return JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? `integer ${part}` : part)));
}

const decode = (schema: SchemaNode, sent: JsonObject) => applyDefaults(schema, prune(schema, sent).value);

const cases = creates("schema");

test("the contract has objects that are stored and objects that are refused", () => {
  expect(cases.filter(({ status }) => status === 201).length).toBeGreaterThan(6);
  expect(cases.filter(({ status }) => status === 422).length).toBeGreaterThan(14);
});

test.each(cases.filter(({ status }) => status === 201))("$shows", ({ sent, answer }) => {
  const schema = widgetSchema();
  const object = decode(schema, sent);
  expect(isJsonObject(object) && shown(object.spec)).toEqual(answer.spec);
  expect(validate(schema, object, { scale })).toEqual([]);
});

test.each(cases.filter(({ status }) => status === 422))("refused: $shows", ({ sent, answer }) => {
  const schema = widgetSchema();
  const object = decode(schema, sent);
  const { causes } = (answer as { details: { causes: readonly FieldError[] } }).details;
  expect(sorted(validate(schema, object, { scale }))).toEqual(sorted(causes));
});

test("a transition rule is judged between the old and the new value, and only there", () => {
  const schema = widgetSchema();
  const widget = (fixed?: string) => ({ spec: fixed === undefined ? {} : { fixed } });
  expect(validate(schema, widget("x"), { old: widget() })).toEqual([]);
  expect(validate(schema, widget("x"), { old: widget("x") })).toEqual([]);
  expect(validate(schema, widget("y"), { old: widget("x") })).toEqual([
    { reason: "FieldValueInvalid", field: "spec.fixed", message: 'Invalid value: "y": fixed cannot change' },
  ]);
});

test("a fault in a status write is named below status, in the path and not in the words", () => {
  const schema = widgetSchema();
  const faults = validate(schema, { spec: { size: "bad" }, status: { phase: 1 } }, { old: {}, part: "status" });
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  ]);
});

test("what pruning drops is named, and what it leaves keeps its identity", () => {
  const schema = widgetSchema();
  const clean = { kind: "Widget", metadata: { name: "a", odd: 1 }, spec: { size: 1, parts: [{ name: "p" }] } };
  expect(prune(schema, clean)).toEqual({ value: clean, unknown: [] });
  expect(prune(schema, clean).value).toBe(clean);
  const spec = { extra: 1, owner: null, parts: [{ name: "p", extra: 2 }], free: { any: { thing: null } } };
  expect(prune(schema, { kind: "Widget", spec, top: {} })).toEqual({
    value: { kind: "Widget", spec: { parts: [{ name: "p" }], free: { any: { thing: null } } } },
    unknown: ["spec.extra", "spec.parts[0].extra", "top"],
  });
});

test.each([
  [{ spec: { size: -1 } }, ".spec.size: Invalid value: -1: should be a non-negative integer"],
  [{ spec: { size: 2 ** 31 } }, ".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647"],
  [
    { status: { replicas: true } },
    ".status.replicas: Invalid value: 0: .status.replicas accessor error: true is of the type bool, expected int64",
  ],
  [
    { spec: { size: {} } },
    ".spec.size: Invalid value: 0: .spec.size accessor error: map[] is of the type map[string]interface {}, expected int64",
  ],
])("replicas that are none are refused: %j", (object, fault) => {
  expect(validateScale(scale, object).map(({ field, message }) => `${field}: ${message}`)).toEqual([fault]);
  expect(validateScale(undefined, object)).toEqual([]);
});

test("a status write is asked only for the replicas of status", () => {
  expect(validateScale(scale, { spec: { size: "x" }, status: { replicas: 1 } }, "status")).toEqual([]);
  expect(validateScale(scale, { status: { replicas: "x" } }, "status")).toHaveLength(1);
});
