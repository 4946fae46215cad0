// Laws that hold for every template and patch.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPatch, aTemplate } from "../../../e2e/oracle/patched-templates.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import { strategicMerge } from "./strategic-merge.ts";

/** Any JSON object at all, with the words of patches strewn in. */
const anyObject: fc.Arbitrary<JsonObject> = fc
  .object({
    key: fc.constantFrom(
      "spec",
      "metadata",
      "containers",
      "name",
      "$patch",
      "$retainKeys",
      "$setElementOrder/containers",
      "a",
    ),
    values: [fc.constantFrom<Json>("x", "delete", "replace", 1, null)],
    maxDepth: 4,
  })
  .filter(isJsonObject);

/** Objects and lists of the result that are not the template's own, though nothing in the patch touches their path. */
function needlessCopies(template: Json | undefined, patch: Json | undefined, result: Json | undefined): number {
  if (patch === undefined) return template === result || typeof result !== "object" ? 0 : 1;
  if (!isJsonObject(template) || !isJsonObject(patch) || !isJsonObject(result) || Object.hasOwn(patch, "$patch"))
    return 0;
  return Object.keys(result).reduce((sum, key) => sum + needlessCopies(template[key], patch[key], result[key]), 0);
}

describe("a strategic merge", () => {
  test("changes neither of its inputs", () => {
    fc.assert(
      fc.property(fc.oneof(aTemplate(), anyObject), fc.oneof(aPatch(), anyObject), (template, patch) => {
        const before = structuredClone({ template, patch });
        try {
          strategicMerge(template, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(StrategicMergeError);
        }
        expect({ template, patch }).toEqual(before);
      }),
    );
  });

  test("with an empty patch gives back the template itself", () => {
    fc.assert(
      fc.property(fc.oneof(aTemplate(), anyObject), (template) => {
        expect(strategicMerge(template, {})).toBe(template);
      }),
    );
  });

  test("shares with the template what the patch does not name", () => {
    fc.assert(
      fc.property(aTemplate(), aPatch(), (template, patch) => {
        expect(needlessCopies(template, patch, strategicMerge(template, patch))).toBe(0);
      }),
    );
  });

  test("of plain values done twice is done once", () => {
    fc.assert(
      // Nulls and directives may be taken over where they meet nothing, and act the second time: the patch has none.
      fc.property(aTemplate(), aTemplate(), (template, patch) => {
        const once = strategicMerge(template, patch);
        expect(strategicMerge(once, patch)).toEqual(once);
      }),
    );
  });

  test("with two patches of different fields gives the same in either order", () => {
    const ofMetadata = aPatch().map(({ metadata }) => (metadata === undefined ? {} : { metadata }));
    const ofSpec = aPatch().map(({ spec }) => (spec === undefined ? {} : { spec }));
    fc.assert(
      fc.property(aTemplate(), ofMetadata, ofSpec, (template, one, other) => {
        const oneFirst = strategicMerge(strategicMerge(template, one), other);
        expect(oneFirst).toEqual(strategicMerge(strategicMerge(template, other), one));
        expect(oneFirst).toEqual(strategicMerge(template, { ...one, ...other }));
      }),
    );
  });
});
