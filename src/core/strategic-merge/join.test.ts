// Layers that only add to long lists take a short way, which must lead where the long one does.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import { createStrategicMerge, strategicMerge } from "./strategic-merge.ts";

const templateOf = (env: readonly Json[]): JsonObject => ({ spec: { containers: [{ name: "agent", env }] } });
const variables = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}` }));

/** What becomes of a template under layers, or why nothing does. */
function folded(merge: typeof strategicMerge, template: JsonObject, layers: readonly JsonObject[]) {
  try {
    return layers.reduce<JsonObject>((value, layer) => merge(value, layer), template);
  } catch (error) {
    if (error instanceof StrategicMergeError) return error.message;
    throw error;
  }
}

describe("layers of one template", () => {
  const element: fc.Arbitrary<Json> = fc.oneof(
    { weight: 60, arbitrary: fc.integer({ max: 400, min: 0 }).map((at) => ({ name: `V${at}`, value: "x" })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Json>({ name: "V1", $patch: "delete" }, { $patch: "replace" }, { value: "x" }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Json>({ name: null }, { name: 7 }, { name: {} }, { name: [] }, "V1", null),
    },
  );
  const lists = fc.array(element, { minLength: 1, maxLength: 40 });
  /** Lists in which nothing is twice are rare by chance, and are what the short way is for. */
  const fresh = fc
    .integer({ min: 1, max: 30 })
    .chain((count) => fc.constantFrom("A", "B", "C").map((of) => variables(of, count)));
  const layer = fc.oneof(lists, fresh).map(templateOf);

  test("are merged as each by itself", () => {
    const start = fc
      .oneof(
        lists,
        fc.integer({ min: 10, max: 40 }).map((count) => variables("V", count)),
      )
      .map(templateOf);
    fc.assert(
      fc.property(start, fc.array(layer, { minLength: 1, maxLength: 5 }), (template, layers) => {
        expect(folded(createStrategicMerge(), template, layers)).toEqual(folded(strategicMerge, template, layers));
      }),
      { numRuns: 3_000 },
    );
  });

  test("leave alone what they are applied to, also when it is used twice", () => {
    const merge = createStrategicMerge();
    const template = templateOf(variables("V", 20));
    const once = merge(template, templateOf(variables("A", 3)));
    const other = merge(template, templateOf(variables("A", 2)));
    expect(merge(once, templateOf(variables("B", 1)))).toEqual(
      templateOf([...variables("B", 1), ...variables("A", 3), ...variables("V", 20)]),
    );
    expect(merge(other, templateOf(variables("A", 3)))).toEqual(
      templateOf([...variables("A", 3), ...variables("V", 20)]),
    );
    expect(template).toEqual(templateOf(variables("V", 20)));
  });
});
