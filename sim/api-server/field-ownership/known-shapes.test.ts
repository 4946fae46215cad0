// Creates that look alike share the set of their fields; whether they do must not show in what they own.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { type OwnedKind, ownedKindOf } from "./owned-kind.ts";
import { freshKind, kind, now, thing } from "./testing/thing-fixture.ts";
import { trackUpdate } from "./track-update.ts";

const created = (kind: OwnedKind, next: JsonObject) =>
  trackUpdate(kind, { live: undefined, next, manager: "one", subresource: "", now });

const words = fc.constantFrom("a", "b", "");
const part = fc.record({ name: words, side: words, value: words }, { requiredKeys: ["name"] });
const spec = fc.record(
  {
    word: words,
    labels: fc.dictionary(fc.constantFrom("x", "y"), words),
    whole: fc.dictionary(fc.constantFrom("x", "y"), words),
    plain: fc.array(words, { maxLength: 2 }),
    set: fc.uniqueArray(words, { maxLength: 2 }),
    parts: fc.array(part, { maxLength: 2 }),
    open: fc.dictionary(fc.constantFrom("x", "known"), fc.oneof(words, fc.constant({}), fc.constant(null))),
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  { name: words, finalizers: fc.array(words, { maxLength: 1 }), ownerReferences: fc.array(fc.record({ uid: words })) },
  { requiredKeys: ["name"] },
);
// Some of it does not fit its type, and then nothing of the object is tracked.
const status = fc.oneof(fc.dictionary(fc.constantFrom("x", "y"), fc.oneof(words, fc.constant(1))), words);
const things = fc.record({ metadata, spec, status }, { requiredKeys: ["metadata"] });

/** That what was created before makes no difference. */
function expectNoMemory(fresh: () => OwnedKind, objects: fc.Arbitrary<JsonObject>, numRuns: number): void {
  const shared = fresh();
  const law = fc.property(objects, (next) => {
    expect(created(shared, next)).toEqual(created(fresh(), next));
  });
  fc.assert(law, { numRuns });
}

test("after any other creates, a custom resource owns what it would own as the first", () => {
  expectNoMemory(
    freshKind,
    things.map((content): JsonObject => ({ apiVersion: "example.dev/v1", kind: "Thing", ...content })),
    500,
  );
});

/** That the second create owns what it would own without the first. */
function expectApart(fresh: () => OwnedKind, first: JsonObject, second: JsonObject): void {
  const kind = fresh();
  created(kind, first);
  expect(created(kind, second)).toEqual(created(fresh(), second));
}

test.each<readonly [string, JsonObject, JsonObject]>([
  ["another key of a list's element", { parts: [{ name: "a" }] }, { parts: [{ name: "b" }] }],
  ["another member of a set", { set: ["a"] }, { set: ["b"] }],
  ["a key more in a map", { labels: { x: "1" } }, { labels: { x: "1", y: "1" } }],
  ["an element less", { parts: [{ name: "a" }, { name: "b" }] }, { parts: [{ name: "a" }] }],
  ["another type", { open: { x: {} } }, { open: { x: "" } }],
])("objects that differ by %s are not alike", (_, first, second) => {
  expectApart(freshKind, thing(first), thing(second));
});

test.each<readonly [string, JsonObject, JsonObject]>([
  ["ControllerRevision", { data: {}, revision: 1 }, { data: {}, revision: 0 }],
  ["ControllerRevision", { data: {}, revision: 0 }, { data: {}, revision: 1 }],
  ["DaemonSet", { spec: { selector: {}, template: {} } }, { spec: { selector: null, template: {} } }],
])("a %s owns nothing that an empty one has already, whatever came before", (name, first, second) => {
  const type = builtInKinds().find(({ kind }) => kind === name);
  if (type === undefined) throw new Error(`there is no kind ${name}`);
  const object = (content: JsonObject) => ({ apiVersion: "apps/v1", kind: name, metadata: { name: "a" }, ...content });
  expectApart(() => ownedKindOf(type), object(first), object(second));
});

test("objects of a fleet share one set, whatever status they bring along", () => {
  const setOf = (name: string) => {
    const object = { ...thing({ word: name }, { name }), status: { [name]: name } };
    return Object(created(kind, object)?.[0]).fieldsV1;
  };
  expect(setOf("a")).toBe(setOf("b"));
});

test("an object whose status does not fit is not tracked, whatever came before", () => {
  const kind = freshKind();
  expect(created(kind, { ...thing({ word: "a" }), status: { a: "1" } })).toBeDefined();
  expect(created(kind, { ...thing({ word: "a" }), status: { a: 1 } })).toBeUndefined();
});
