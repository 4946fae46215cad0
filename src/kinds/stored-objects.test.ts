// Stored objects are not trusted: whatever lies in the cluster, a parser gives a value or problems with a path and a message,
// and never throws. Each kind is shown broken neighbours of its own table and values that nobody would write by hand.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Parsed } from "../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { withDefaults } from "./daemon-set/api/defaults.ts";
import { parseDaemonSet } from "./daemon-set/api/parse.ts";
import { validateDaemonSet } from "./daemon-set/api/validate.ts";
import { daemonSetCases } from "./daemon-set/testing/cases.ts";
import type { Admission } from "./kind.ts";
import { parseModule } from "./module/api/parse.ts";
import { validateModule } from "./module/api/validate.ts";
import { moduleCases } from "./module/testing/cases.ts";
import type { KindCase } from "./testing/kind-case.ts";
import { parseVariantSet } from "./variant-set/api/parse.ts";
import { validateVariantSet } from "./variant-set/api/validate.ts";
import { variantSetCases } from "./variant-set/testing/cases.ts";

type Kind = {
  readonly rows: readonly KindCase[];
  readonly parse: (object: unknown) => Parsed<unknown>;
  readonly admit: (object: unknown, before: unknown) => Admission;
};

const kinds: readonly (readonly [name: string, kind: Kind])[] = [
  ["VariantSet", { rows: variantSetCases(), parse: parseVariantSet, admit: validateVariantSet }],
  ["DaemonSet", { rows: daemonSetCases(), parse: parseDaemonSet, admit: validateDaemonSet }],
  ["Module", { rows: moduleCases(), parse: parseModule, admit: validateModule }],
];

const oddValues: readonly Json[] = [
  ...[null, true, -1, 0.5, 1e308, 2n ** 62n, "", "\u0000", "\ud800", "x".repeat(5000), [], [null], {}],
  ...[{ a: [{ b: {} }] }, JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": 1}}')],
  nested(5000),
];

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { spec: value } : [value];
  return value;
}

/** Every path of a document, up to a depth that reaches into patches. */
function pathsOf(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null || path.length > 9) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child as Json, [...path, key]))];
}

function replaced(value: Json, path: readonly string[], by: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? replaced(each, rest, by) : each));
  return isJsonObject(value) ? { ...value, [key]: replaced(value[key] ?? null, rest, by) } : by;
}

describe.each(kinds)("%s", (_name, { rows, parse, admit }) => {
  const objects = rows.map(({ object }) => object).filter((object) => JSON.stringify(object).length < 10_000);

  function judge(object: unknown): void {
    const parsed = parse(object);
    const { problems } = admit(object, undefined);
    if (parsed.ok) return;
    expect(parsed.problems).not.toEqual([]);
    for (const { path, message } of problems) {
      expect(path).not.toBe("");
      expect(message).not.toMatch(/undefined|\[object|NaN/);
      expect(message.length).toBeLessThan(1000);
    }
  }

  test("a field with an odd value is a problem or no matter, never a crash", () => {
    const neighbour = fc
      .constantFrom(...objects)
      .chain((object) =>
        fc.tuple(fc.constant(object), fc.constantFrom(...pathsOf(object)), fc.constantFrom(...oddValues)),
      )
      .map(([object, path, value]) => replaced(object, path, value));
    fc.assert(
      fc.property(neighbour, (object) => judge(object)),
      { numRuns: 400 },
    );
  });

  test("anything at all is judged", () => {
    for (const value of [undefined, ...oddValues]) {
      judge(value);
      judge({ spec: value });
    }
    fc.assert(fc.property(fc.jsonValue(), (value) => judge({ spec: value })));
  });

  test("what admission takes, the parser takes", () => {
    for (const { object, old, verdict } of rows) {
      const newer = object.apiVersion === "apps.kruise.io/v1alpha1" ? undefined : object;
      if (verdict.is === "accepted" && newer !== undefined) {
        expect(admit(object, old).problems).toEqual([]);
        expect(parse(newer).ok).toBe(true);
      }
    }
  });

  test("an object may replace itself", () => {
    for (const { object, verdict } of rows)
      if (verdict.is === "accepted") expect(admit(object, object).problems).toEqual([]);
  });
});

test("defaults are added to anything, change no meaning, and are added once", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(withDefaults({ spec: value } as JsonObject)).toBeTypeOf("object");
    }),
  );
  for (const { object, verdict } of daemonSetCases()) {
    const filled = withDefaults(object);
    expect(withDefaults(filled)).toBe(filled);
    if (verdict.is === "accepted") expect(parseDaemonSet(filled)).toEqual(parseDaemonSet(object));
  }
});
