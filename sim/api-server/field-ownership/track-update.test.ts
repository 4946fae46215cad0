// Corners of tracking that the recordings do not show: too many updaters, edited and foreign entries, repeated elements, times.
import { describe, expect, test } from "vitest";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, objectAt, withFields, withMeta } from "../api-object.ts";
import { withKeptTimes } from "./kept-times.ts";
import { afterwards, applied, kind, later, now, ownersOf, thing, timesOf, updated } from "./testing/thing-fixture.ts";
import { trackScale } from "./track-scale.ts";
import { trackUpdate } from "./track-update.ts";

describe("corners of tracking", () => {
  test("identity, type and counters belong to nobody", () => {
    const times = {
      creationTimestamp: now,
      generation: 2,
      resourceVersion: "1",
      uid: "u",
      selfLink: "/",
      namespace: "ns",
    };
    expect(ownersOf(updated(undefined, thing({}, { ...times, labels: { a: "1" } })))).toEqual({
      "editor Update": { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": {} },
    });
  });

  test("appliers stand before updaters, and the older before the younger", () => {
    const first = updated(undefined, thing({ word: "x" }));
    const second = updated(first, thing({ word: "x", set: ["a"] }, metaOf(first)), { manager: "a", now: afterwards });
    const third = applied(second, { plain: ["a"] }, { now: "2026-01-01T00:01:00Z" });
    expect(Object.keys(ownersOf(third))).toEqual(["one Apply", "editor Update", "a Update"]);
  });

  test("a write of a subresource cannot edit the owners", () => {
    const live = applied(undefined, { word: "x" });
    const next = { ...live, metadata: { ...metaOf(live), managedFields: [{}] }, status: { phase: "A" } };
    const managedFields = trackUpdate(kind, { live, next, manager: "editor", subresource: "status", now });
    expect(managedFields).toMatchObject([{ manager: "one" }, { manager: "editor", subresource: "status" }]);
  });

  test("a write of the object leaves the status to its owner, unless that one used another version", () => {
    const withStatus = (made: typeof kind) => {
      const live = applied(undefined, { word: "x" });
      const next = { ...live, status: { phase: "A" } };
      const managedFields = trackUpdate(made, { live, next, manager: "prober", subresource: "status", now });
      return withMeta(next, { managedFields });
    };
    const ownersAfter = (live: JsonObject) => Object.keys(ownersOf(updated(live, thing({ word: "y" }, metaOf(live)))));
    expect(ownersAfter(withStatus(kind))).toEqual(["editor Update", "prober Update"]);
    expect(ownersAfter(withStatus(later))).toEqual(["editor Update"]);
  });

  test.each<readonly [string, number, number, readonly string[]]>([
    ["replicas that change belong to the one who scaled", 1, 2, ["one", "scaler scale"]],
    ["replicas that stay belong to whom they did", 1, 1, ["one"]],
    ["zero replicas belong to nobody", 1, 0, ["one"]],
  ])("%s", (_, before, after, left) => {
    const live = applied(undefined, { word: "x", labels: { a: "1" } });
    const write = {
      managedFields: metaOf(live).managedFields,
      replicasPath: ".spec.word",
      before,
      after,
      manager: "scaler",
    };
    const entries = trackScale(kind, write) ?? [];
    expect(
      entries.filter(isJsonObject).map(({ manager, subresource = "" }) => `${manager} ${subresource}`.trim()),
    ).toEqual(left);
    const fields = { "f:labels": { "f:a": {} }, ...(before === after ? { "f:word": {} } : {}) };
    expect(entries[0]).toMatchObject({ fieldsV1: { "f:spec": fields } });
  });

  test("beyond ten updaters the oldest are merged", () => {
    const live = Array.from({ length: 13 }, (_, index) => index).reduce<JsonObject | undefined>((before, index) => {
      const labels = { ...objectAt(objectAt(before ?? {}, "spec"), "labels"), [`l${index}`]: "1" };
      const meta = before === undefined ? {} : metaOf(before);
      return updated(before, thing({ labels }, meta), { manager: `m${index}`, now: `2026-01-01T00:00:${10 + index}Z` });
    }, undefined);
    const owners = ownersOf(live ?? {});
    expect(Object.keys(owners)).toEqual([
      "ancient-changes Update",
      ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `m${n} Update`),
    ]);
    const labels = { ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {}, "f:l3": {} };
    expect(owners["ancient-changes Update"]).toEqual({ "f:spec": { ".": {}, "f:labels": labels } });
  });

  test.each<readonly [string, Json, readonly string[]]>([
    ["an empty entry takes all owners away", [{}], []],
    ["an empty list is no wish for a custom resource", [], ["editor Update", "one Apply", "two Apply"]],
    ["a shorter list is taken as it is", "first", ["editor Update", "one Apply"]],
    ["a list that cannot be read is not", [{ manager: "x" }], ["editor Update", "one Apply", "two Apply"]],
    ["none is no wish", null, ["editor Update", "one Apply", "two Apply"]],
  ])("%s", (_, sent, left) => {
    const live = applied(applied(undefined, { word: "x" }), { plain: ["a"] }, { manager: "two" });
    const entries = metaOf(live).managedFields;
    const managedFields = sent === "first" && isJsonList(entries) ? entries.slice(0, 1) : sent;
    const next = thing({ word: "x", plain: ["a"], labels: { a: "1" } }, { ...metaOf(live), managedFields });
    expect(Object.keys(ownersOf(updated(live, next))).sort()).toEqual(left);
  });

  test("an empty list takes the owners of a built-in object away", () => {
    const builtIn = { ...kind, isCustom: false };
    const live = applied(undefined, { word: "x" });
    const next = { ...live, metadata: { ...metaOf(live), managedFields: [] }, spec: { word: "y" } };
    expect(trackUpdate(builtIn, { live, next, manager: "editor", subresource: "", now })).toBeUndefined();
  });

  test("an update of what does not fit its schema is not tracked", () => {
    const live = applied(undefined, { word: "x" });
    const next = thing({ word: "x", other: 1 }, metaOf(live));
    expect(trackUpdate(kind, { live, next, manager: "editor", subresource: "", now })).toBeUndefined();
  });

  test("an update that takes fields away owns nothing new, and the others keep their times", () => {
    const live = applied(undefined, { word: "x", plain: ["a"] });
    const after = updated(live, thing({ word: "x" }, metaOf(live)), { now: afterwards });
    expect(ownersOf(after)).toEqual({ "one Apply": { "f:spec": { "f:word": {} } } });
    expect(timesOf(after)).toEqual({ one: now });
  });

  test("an element that comes to stand twice is owned as one", () => {
    const live = updated(undefined, thing({ set: ["a", "b"] }));
    const after = updated(live, thing({ set: ["a", "b", "a"] }, metaOf(live)), { manager: "other" });
    expect(ownersOf(after)).toEqual({
      "editor Update": { "f:spec": { ".": {}, "f:set": { ".": {}, 'v:"b"': {} } } },
      "other Update": { "f:spec": { "f:set": { 'v:"a"': {} } } },
    });
  });

  test("an update of another version is another owner, and entries of other groups leave", () => {
    const live = updated(undefined, thing({ word: "x" }));
    const foreign = {
      manager: "old",
      operation: "Update",
      apiVersion: "other.dev/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": {} },
    };
    const entries = metaOf(live).managedFields;
    const before = withMeta(live, { managedFields: [...(isJsonList(entries) ? entries : []), foreign] });
    const next = { ...thing({ word: "x", plain: ["a"] }, metaOf(before)), apiVersion: "example.dev/v2" };
    const managedFields = trackUpdate(later, { live: before, next, manager: "editor", subresource: "", now });
    expect(managedFields).toMatchObject([{ apiVersion: "example.dev/v1" }, { apiVersion: "example.dev/v2" }]);
  });

  test("times go back when nothing else has changed", () => {
    const live = applied(undefined, { word: "x" });
    const [entry] = isJsonList(metaOf(live).managedFields) ? [{ ...ownedEntry(live), time: afterwards }] : [];
    const next = withMeta(live, { managedFields: [entry ?? null] });
    expect(withKeptTimes(next, live)).toEqual(live);
    const changed = withFields(next, { spec: { word: "y" } });
    expect(withKeptTimes(changed, live)).toBe(changed);
  });
});

function ownedEntry(object: JsonObject): JsonObject {
  const { managedFields } = metaOf(object);
  const first = isJsonList(managedFields) ? managedFields[0] : undefined;
  return isJsonObject(first) ? first : {};
}
