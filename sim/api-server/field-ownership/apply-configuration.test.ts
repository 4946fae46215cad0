// What applies do to objects and their owners: laws that hold for all sequences, and the corners that the recordings do not
// show. That every single step is the real server's is shown by recorded.test.ts and e2e/field-ownership.test.ts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, objectAt, withFields } from "../api-object.ts";
import { changeValues } from "../patch/change-json.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import { intersection, isSubset, noFields } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import {
  afterwards,
  applied,
  apply,
  kind,
  later,
  now,
  ownersOf,
  stored,
  thing,
  timesOf,
  updated,
} from "./testing/thing-fixture.ts";

const word = fc.constantFrom("x", "y");
const some = <Value>(all: readonly Value[]) => fc.shuffledSubarray([...all], { minLength: 1 });
const map = fc.dictionary(fc.constantFrom("a", "b", "c"), word, { minKeys: 1, maxKeys: 3 });
const value = fc.record({ value: word }, { requiredKeys: [] });
const contents: fc.Arbitrary<JsonObject> = fc.record(
  {
    ...{ word, labels: map, whole: map, plain: some(["a", "b"]), set: some(["a", "b", "c"]) },
    parts: some([{ name: "p" }, { name: "p", side: "R" }, { name: "q" }]).chain((keys) =>
      fc.tuple(...keys.map((key) => value.map((rest) => ({ ...key, ...rest })))),
    ),
    open: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(word, map, fc.constant([1])), { minKeys: 1 }),
  },
  { requiredKeys: ["word"] },
);
const who = fc.constantFrom("one", "two", "three");
const steps = fc.array(fc.record({ manager: who, content: contents }), { minLength: 1, maxLength: 5 });

/** An object with a history of applies. */
const lives = steps.map(([first, ...more]) =>
  more.reduce(
    (live, { manager, content }) => applied(live, content, { manager, force: true }),
    applied(undefined, first?.content ?? {}, { manager: first?.manager ?? "" }),
  ),
);

describe("laws of applying", () => {
  test("the same apply again changes nothing, not even the identity of what is stored", () => {
    fc.assert(
      fc.property(lives, contents, (live, content) => {
        const once = applied(live, content, { force: true });
        const twice = apply(once, thing(content), { now: afterwards });
        expect(twice).toEqual({ outcome: "applied", object: once, managedFields: metaOf(once).managedFields });
        expect(twice.outcome === "applied" && twice.object).toBe(once);
        expect(twice.outcome === "applied" && twice.managedFields).toBe(metaOf(once).managedFields);
      }),
    );
  });

  test("who has forced a configuration finds it in the object and owns all of it", () => {
    fc.assert(
      fc.property(lives, contents, (live, content) => {
        const forced = applied(live, content, { force: true });
        const wanted = fieldSetOf(kind.type, { spec: content });
        expect(ownersOf(forced)["one Apply"]).toEqual(wanted);
        expect(isSubset(wanted, fieldSetOf(kind.type, forced))).toBe(true);
        const { word: one, whole, plain } = content;
        expect(forced.spec).toMatchObject({ word: one, ...(whole && { whole }), ...(plain && { plain }) });
      }),
    );
  });

  test("a guest that asks for nothing any more leaves the object as it found it", () => {
    fc.assert(
      fc.property(lives, contents, (live, content) => {
        const guest = { manager: "guest" };
        const { word: _word, whole: _whole, plain: _plain, ...mergeable } = content;
        const answer = apply(live, thing(mergeable), guest);
        const visited = answer.outcome === "applied" ? stored(answer.object, answer.managedFields) : live;
        const left = applied(visited, {}, guest);
        expect(asSets(left.spec)).toEqual(asSets(live.spec));
        expect(ownersOf(left)).toEqual({ ...ownersOf(live), "guest Apply": { "f:spec": {} } });
      }),
      { numRuns: 300 },
    );
  });

  test("nobody owns what is not there, and a field that an update changed has one owner", () => {
    fc.assert(
      fc.property(lives, contents, (live, content) => {
        const after = updated(live, withFields(live, { spec: content }));
        const there = fieldSetOf(kind.type, after);
        const { "editor Update": editor = noFields, ...others } = ownersOf(after);
        for (const fields of Object.values(others)) {
          expect(isSubset(fields, there)).toBe(true);
          expect(intersection(fields, editor)).toEqual(noFields);
        }
      }),
    );
  });
});

/** The order of list elements is the last applier's; what matters here is which are there. */
function asSets(content: Json | undefined): Json {
  const sorted = (value: Json): Json =>
    isJsonList(value) ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : value;
  return isJsonObject(content) ? changeValues(content, sorted) : {};
}

describe("corners of applying", () => {
  test.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ["what is new comes where it was applied", ["a", "b"], ["b", "c"], ["a", "b", "c"]],
    ["shared elements stand in the applied order", ["a", "b", "c"], ["c", "a"], ["b", "c", "a"]],
    ["those of the live list alone keep their place", ["x", "a", "y", "b"], ["b", "a"], ["x", "y", "b", "a"]],
    ["what is new stands before the next shared one", ["a", "b"], ["n", "a", "m", "b"], ["n", "a", "m", "b"]],
    ["what is new does not overtake what follows the next shared one", ["a", "x"], ["n", "a"], ["n", "a", "x"]],
    ["what is new comes in the place of a repeated one", ["a", "a", "y"], ["a", "n"], ["a", "n", "y"]],
    ["an element that stands twice stays once", ["a", "b", "a"], ["a"], ["a", "b"]],
    ["the rest of the live list follows", ["a", "b", "c"], ["a", "n"], ["a", "b", "c", "n"]],
  ])("%s: %j with %j is %j", (_, live, wanted, merged) => {
    const before = updated(undefined, thing({ set: live }));
    const answer = apply(before, thing({ set: wanted }), { force: true });
    expect(answer.outcome === "applied" && answer.object.spec).toEqual({ set: merged });
  });

  test("where unknown fields are kept, they are so in everything below", () => {
    const open = { known: { word: "x", more: "y" }, other: { a: [1] } };
    expect(ownersOf(applied(undefined, { open }))).toEqual({
      "one Apply": {
        "f:spec": { "f:open": { "f:known": { "f:word": {}, "f:more": {} }, "f:other": { ".": {}, "f:a": {} } } },
      },
    });
  });

  test("an object that nobody was known to own belongs to those before the first apply", () => {
    const live = { ...thing({ word: "x", labels: { a: "1" } }), metadata: { name: "a", uid: "u" } };
    expect(ownersOf(applied(live, { word: "x" }))).toEqual({
      "one Apply": { "f:spec": { "f:word": {} } },
      "before-first-apply Update": { "f:spec": { ".": {}, "f:labels": { ".": {}, "f:a": {} }, "f:word": {} } },
    });
    const other = apply(live, thing({ word: "y" }));
    expect(other.outcome === "conflicts" && other.conflicts.map(({ manager: who }) => who)).toEqual([
      "before-first-apply",
    ]);
  });

  test("an apply that changes nothing keeps its time, and who never changed anything has none", () => {
    const first = applied(undefined, { word: "x" });
    const shared = applied(first, { word: "x" }, { manager: "two", now: afterwards });
    expect(timesOf(shared)).toEqual({ one: now, two: undefined });
    const more = applied(shared, { word: "x", plain: ["a"] }, { manager: "two", now: afterwards });
    expect(timesOf(more)).toEqual({ one: now, two: afterwards });
  });

  test("status is owned through its subresource only", () => {
    const both = { ...thing({ word: "x" }), status: { phase: "A" } };
    const answer = apply(undefined, both);
    expect(answer.outcome === "applied" && answer.managedFields).toMatchObject([
      { fieldsV1: { "f:spec": { "f:word": {} } } },
    ]);
    const live = applied(undefined, { word: "y" }, { manager: "two" });
    const through = apply(live, both, { subresource: "status" });
    expect(through.outcome === "applied" && through.managedFields?.[0]).toMatchObject({
      ...{ subresource: "status", fieldsV1: { "f:status": { "f:phase": {} } } },
    });
  });

  test("an applier is the same in another version, and gives up what it named in the first", () => {
    const live = applied(undefined, { word: "x", plain: ["a"] });
    const inLater = { ...thing({ word: "x" }), apiVersion: "example.dev/v2" };
    const write = { live: { ...live, apiVersion: "example.dev/v2" }, applied: inLater, manager: "one", force: false };
    const answer = applyConfiguration(later, { ...write, subresource: "", now });
    expect(answer).toMatchObject({
      outcome: "applied",
      object: { spec: { word: "x" } },
      managedFields: [{ apiVersion: "example.dev/v2" }],
    });
    expect(answer.outcome === "applied" && objectAt(answer.object, "spec")).toEqual({ word: "x" });
  });

  test("what is owned in one version is kept, whatever is owned in another", () => {
    const shared = applied(applied(undefined, { word: "x", plain: ["a"] }), { word: "x" }, { manager: "three" });
    expect(applied(appliedInLater(shared, { labels: { a: "1" } }), {}).spec).toEqual({ word: "x", labels: { a: "1" } });
  });

  test("an element that is kept for an owner in another version loses what was given up in it, whoever has added to that", () => {
    const part = (...tags: readonly string[]) => ({ parts: [{ name: "p", ...(tags.length > 0 && { tags }) }] });
    const first = applied(undefined, part("a"));
    const edited = updated(first, thing(part("a", "b"), metaOf(first)));
    const live = appliedInLater(edited, part());
    expect(applied(live, {}).spec).toEqual(part());
    expect(applied(edited, part()).spec).toEqual(part("b"));
  });

  test.each<readonly [string, JsonObject]>([
    [".spec.word: expected string, got &value.valueUnstructured{Value:1}", { word: 1 }],
    [
      '.spec.word: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "b", true}}}',
      { word: { a: [1, "b", true] } },
    ],
    [".spec.labels: expected map, got &{[a map[b:<nil>]]}", { labels: ["a", { b: null }] }],
    [".spec.set: expected list, got &{true}", { set: true }],
    ['.spec.set: duplicate entries for key [="a"]', { set: ["a", "a"] }],
    [
      ".spec.set: element 1: associative list without keys has an element that's an explicit null",
      { set: ["a", null] },
    ],
    [
      '.spec.parts: duplicate entries for key [name="p",side="L"]',
      { parts: [{ name: "p" }, { name: "p", side: "L" }] },
    ],
    ['.spec.parts[name="p",side="L"].other: field not declared in schema', { parts: [{ name: "p", other: 1 }] }],
    [".spec.parts: element 0: associative list with keys may not have non-map elements", { parts: ["p"] }],
    [
      "errors:\n  .spec.word: expected string, got &value.valueUnstructured{Value:1}\n  .spec.set: expected list, got &{1}",
      { word: 1, set: 1 },
    ],
  ])("what does not fit is refused: %s", (because, content) => {
    expect(apply(undefined, thing(content))).toEqual({ outcome: "unfit", object: "patch", because });
  });
});

/** The object after an apply by `two` in the later version, seen in the first. */
function appliedInLater(live: JsonObject, content: JsonObject): JsonObject {
  const apiVersion = "example.dev/v2";
  const write = {
    live: { ...live, apiVersion },
    applied: { ...thing(content), apiVersion },
    manager: "two",
    force: false,
  };
  const answer = applyConfiguration(later, { ...write, subresource: "", now });
  if (answer.outcome !== "applied") throw new Error(JSON.stringify(answer));
  return { ...stored(answer.object, answer.managedFields), apiVersion: "example.dev/v1" };
}
