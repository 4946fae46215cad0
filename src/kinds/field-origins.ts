// Where the fields of a pod come from: a template, and layers that change it one after the other. Explanations of all kinds tell it so.
import type { JsonObject } from "../core/json.ts";
import { shownValue } from "../core/shown.ts";
import { type PatchLayer, strategicMergeTraced } from "../core/strategic-merge.ts";
import { pathText } from "../core/strategic-merge-path.ts";
import type { FieldOrigin } from "./kind.ts";

/** What the operator adds by itself is said to come from here. */
export const OPERATOR_LAYER = "farrier";

/** The fields that layers set or took away, each with all that stood there, from the last layer back to the template, as that is called. */
export function fieldOrigins(
  template: JsonObject,
  layers: readonly PatchLayer[],
  called = "template",
): readonly FieldOrigin[] {
  const fields = new Map<string, FieldOrigin>();
  for (const change of strategicMergeTraced(template, layers).provenance) {
    const field = pathText(change.path);
    const before = fields.get(field);
    const replaced = change.replaced === undefined ? [] : [{ value: shownValue(change.replaced), from: called }];
    const was = before === undefined ? replaced : [{ value: before.value, from: before.from }, ...before.was];
    const value = change.action === "set" ? shownValue(change.value) : "";
    fields.set(field, { field, value, from: change.layer, was });
  }
  return [...fields.values()];
}
