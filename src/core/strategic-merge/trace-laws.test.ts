// Laws of the record that a merge can keep: the result follows from it, whatever the template and the patches.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anOrderedPatch, aPatch, aTemplate } from "../../../e2e/oracle/patched-templates.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import { elementAt, type FieldPath, fieldAt, pathText } from "./path.ts";
import { type PatchLayer, strategicMerge, strategicMergeTraced, type TracedMerge } from "./strategic-merge.ts";
import type { FieldChange } from "./trace.ts";

const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  ports: "containerPort",
  volumes: "name",
};

/** All leaves of a document by path, and no empty objects or lists: these appear and vanish with what is in them. */
function leaves(value: Json, path: FieldPath = undefined): readonly (readonly [string, string])[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, below]) => leaves(below, fieldAt(path, key)));
  const name = path?.element === undefined ? (path?.key ?? "") : "";
  const mergeKey = Object.hasOwn(mergeKeys, name) ? mergeKeys[name] : undefined;
  if (isJsonList(value) && mergeKey !== undefined)
    return value.flatMap((element) => {
      const key = isJsonObject(element) ? (element[mergeKey] ?? null) : null;
      return leaves(element, elementAt(path, mergeKey, key));
    });
  return isJsonList(value) && value.length === 0 ? [] : [[pathText(path), JSON.stringify(value)]];
}

/** What the record makes of the template's leaves: a change ends everything at, above and below its path. */
function replay(start: JsonObject, provenance: readonly FieldChange[]): ReadonlyMap<string, string> {
  const known = new Map(leaves(start));
  for (const change of provenance) {
    const path = pathText(change.path);
    const isPartOf = (part: string, whole: string): boolean =>
      part === whole || part.startsWith(`${whole}.`) || part.startsWith(`${whole}[`);
    for (const other of known.keys()) if (isPartOf(other, path) || isPartOf(path, other)) known.delete(other);
    if (change.action === "set") for (const [leaf, text] of leaves(change.value, change.path)) known.set(leaf, text);
  }
  return known;
}

describe("a traced merge", () => {
  const layers = fc
    .array(aPatch(), { maxLength: 4 })
    .map((patches) => patches.map((patch, at) => ({ name: `p${at}`, patch })));

  test("gives the same value as one merge after another", () => {
    fc.assert(
      fc.property(aTemplate(), layers, (start, list) => {
        const folded = list.reduce((value, { patch }) => strategicMerge(value, patch), start);
        expect(strategicMergeTraced(start, list).value).toEqual(folded);
      }),
    );
  });

  // Says that the last value set at a path is the one that the result has there, and that no leaf changes unrecorded.
  test("leaves a record from which the result follows, also with orders of elements", () => {
    const mergedOrNot = (start: JsonObject, list: readonly PatchLayer[]): TracedMerge | undefined => {
      try {
        return strategicMergeTraced(start, list);
      } catch (error) {
        expect(error).toBeInstanceOf(StrategicMergeError);
        return undefined;
      }
    };
    const orderedLayers = fc.array(anOrderedPatch(), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(aTemplate(), orderedLayers, (start, patches) => {
        const merged = mergedOrNot(
          start,
          patches.map((patch, at) => ({ name: `p${at}`, patch })),
        );
        // An order of a list without elements is refused.
        fc.pre(merged !== undefined);
        expect(replay(start, merged.provenance)).toEqual(new Map(leaves(merged.value)));
      }),
      { numRuns: 300 },
    );
  });

  test("leaves a record from which the result follows", () => {
    fc.assert(
      fc.property(aTemplate(), layers, (start, list) => {
        const { value, provenance } = strategicMergeTraced(start, list);
        expect(replay(start, provenance)).toEqual(new Map(leaves(value)));
      }),
    );
  });
});
