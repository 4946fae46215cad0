// Strategic merge patches on pod templates, with the result that Kubernetes gives: the way in which a layer (a patch
// of a node's labels, an operator's default) changes a template, and the record of which layer set which field.
//
// Start here: importers call this file. Beside it:
//   object.ts                                    objects: directives, then field by field
//   list.ts                                      lists: replace, or merge as the schema says
//   keyed-list.ts, key-index.ts                  lists with a merge key
//   order.ts, set-order.ts, go-sort.ts           the order that Go leaves behind
//   join.ts, adopt.ts, draft.ts                  the cheap and the one-sided cases
//   schema.ts, pod-template-schema.generated.ts  which field merges how
//   trace.ts, path.ts, place.ts                  which layer set which field, and where
//   error.ts, element-type.ts                    what Go refuses, with the path
//   merge-patch.ts                               the plain JSON merge patch, RFC 7386
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { shownValue } from "../values/shown.ts";
import { StrategicMergeError } from "./error.ts";
import type { PlainLists } from "./join.ts";
import { mergeObjects } from "./object.ts";
import type { ObjectPlace } from "./place.ts";
import { podTemplateSchema } from "./pod-template-schema.generated.ts";
import type { FieldChange, Trace } from "./trace.ts";

export type PatchLayer = { readonly name: string; readonly patch: Json };

export type TracedMerge = {
  readonly value: JsonObject;
  /** In the order of the layers: the last entry of a path tells who set it last. */
  readonly provenance: readonly FieldChange[];
};

/**
 * The pod template with the patch applied, or a StrategicMergeError.
 *
 * Guarantees: neither input is changed. What the patch leaves alone is the template's own sub-tree, and values that it
 * brings in may be its own; as nobody changes a value in place, both kinds of sharing are safe.
 */
export function strategicMerge(template: Json, patch: Json): JsonObject {
  return merge(template, patch, { trace: undefined, plain: undefined });
}

/** Returns `strategicMerge` for the layers of one template, the next of which is applied to what the last one gave. */
export function createStrategicMerge(): typeof strategicMerge {
  const plain: PlainLists = new Map();
  return (template, patch) => merge(template, patch, { trace: undefined, plain });
}

/** The template with all layers applied in turn, the same as one `strategicMerge` after another, and who set what. */
export function strategicMergeTraced(template: Json, layers: readonly PatchLayer[]): TracedMerge {
  const changes: FieldChange[] = [];
  let value = requireObject(template, "pod template");
  for (const { name, patch } of layers) value = mergeLayer(value, patch, { layer: name, changes });
  return { value, provenance: changes };
}

function mergeLayer(template: JsonObject, patch: Json, trace: Trace): JsonObject {
  try {
    return merge(template, patch, { trace, plain: undefined });
  } catch (error) {
    throw error instanceof StrategicMergeError ? error.inLayer(trace.layer) : error;
  }
}

function merge(template: Json, patch: Json, kept: Pick<ObjectPlace, "trace" | "plain">): JsonObject {
  const original = requireObject(template, "pod template");
  return mergeObjects(original, requireObject(patch, "patch"), { schema: podTemplateSchema, path: undefined, ...kept });
}

/** Kubernetes takes a JSON null for an empty object. */
function requireObject(document: Json, name: string): JsonObject {
  if (document === null) return {};
  if (isJsonObject(document)) return document;
  throw new StrategicMergeError("badDocument", undefined, {
    problem: `the ${name} is ${shownValue(document)}`,
    remedy: "give an object",
  });
}
