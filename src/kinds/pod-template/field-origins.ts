// Where the fields of a pod come from: a template, and layers that change it one after the other. Explanations of all kinds tell it so.
import type { Json, JsonObject } from "../../core/json/json.ts";
import { pathText } from "../../core/strategic-merge/path.ts";
import { type PatchLayer, strategicMergeTraced } from "../../core/strategic-merge/strategic-merge.ts";
import { shownValue } from "../../core/values/shown.ts";
import type { FieldOrigin } from "../kind.ts";
import { orderChanges } from "./order-changes.ts";

/** What the operator adds by itself is said to come from here. */
export const OPERATOR_LAYER = "farrier";

/** One thing that a layer did. */
type Deed = { readonly field: string; readonly value: string; readonly replaced: string | undefined };

/** The fields that layers set or took away, each with all that stood there, from the last layer back to the template, as that is called. */
export function fieldOrigins(
  template: JsonObject,
  layers: readonly PatchLayer[],
  called = "template",
): readonly FieldOrigin[] {
  const fields = new Map<string, FieldOrigin>();
  let standing = template;
  for (const layer of layers) {
    const { value: next, provenance } = strategicMergeTraced(standing, [layer]);
    const deeds = [
      ...provenance.map((change): Deed => {
        const value = change.action === "set" ? shownValue(change.value) : "";
        const replaced = change.replaced === undefined ? undefined : shownValue(change.replaced);
        return { field: pathText(change.path), value, replaced };
      }),
      ...orderChanges(standing, next).map(({ path, before, after }): Deed => {
        return { field: `${pathText(path)} (order)`, value: shownKeys(after), replaced: shownKeys(before) };
      }),
    ];
    for (const { field, value, replaced } of deeds) {
      const before = fields.get(field);
      const first = replaced === undefined ? [] : [{ value: replaced, from: called }];
      const was = before === undefined ? first : [{ value: before.value, from: before.from }, ...before.was];
      fields.set(field, { field, value, from: layer.name, was });
    }
    standing = next;
  }
  return [...fields.values()];
}

function shownKeys(keys: readonly Json[]): string {
  return keys.map(shownValue).join(", ");
}
