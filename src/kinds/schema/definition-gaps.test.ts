import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { daemonSetCrd } from "../daemon-set/api/crd.ts";
import { moduleCrd } from "../module/api/crd.ts";
import { customResourceDefinition } from "./crd.ts";
import { definitionGaps, GAPS_MAX } from "./definition-gaps.ts";

const plainly = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
const definitionOf = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  spec: { versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: schema }, ...more }] },
});
const text = { type: "string" };
const ours = definitionOf({
  properties: {
    ...{ apiVersion: text, kind: text, metadata: { type: "object" } },
    spec: { properties: { a: text, list: { items: { properties: { x: text, y: text } } } } },
    status: { properties: { done: text } },
  },
});

test.each<readonly [string, JsonObject, readonly string[]]>([
  ["the same", ours, []],
  ["nothing", {}, ["version v1"]],
  ["a version that is not served", definitionOf({}, { served: false }), ["version v1"]],
  ["no fields", definitionOf({}), ["spec", "status"]],
  ["one that keeps everything", definitionOf({ "x-kubernetes-preserve-unknown-fields": true }), []],
  [
    "one that lacks some",
    definitionOf({
      properties: { spec: { properties: { a: text, more: text, list: { items: { properties: { x: text } } } } } },
    }),
    ["spec.list[].y", "status"],
  ],
])("%s", (_, installed, gaps) => {
  expect(definitionGaps(ours, installed, "v1")).toEqual(gaps);
});

test.each([
  ["Module", moduleCrd, "v1beta1"],
  ["DaemonSet", daemonSetCrd, "v1alpha1"],
] as const)("a %s of another operator is not taken for ours", (_, source, version) => {
  const own = plainly(customResourceDefinition(source));
  expect(definitionGaps(own, own, version)).toEqual([]);
  const foreign = plainly(customResourceDefinition({ ...source, versions: [] }));
  expect(definitionGaps(own, foreign, version)).toEqual([`version ${version}`]);
});

test("no more gaps are listed than anybody reads", () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, text]));
  expect(definitionGaps(definitionOf({ properties }), definitionOf({}), "v1")).toHaveLength(GAPS_MAX);
});
