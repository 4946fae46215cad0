// What a layer did to the order of lists whose elements are told apart by a key: containers, variables, volumes. No field tells of it,
// and the pod is another one all the same.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../core/json/json.ts";
import { elementAt, type FieldPath, fieldAt } from "../../core/strategic-merge/path.ts";
import { podTemplateSchema } from "../../core/strategic-merge/pod-template-schema.generated.ts";
import type { ListSchema, StructSchema } from "../../core/strategic-merge/schema.ts";
import { shownValue } from "../../core/values/shown.ts";

export type OrderChange = {
  readonly path: FieldPath;
  /** The keys of all elements, in their order. */
  readonly before: readonly Json[];
  readonly after: readonly Json[];
};

/** The lists of a template of which elements that were there before stand in another order. */
export function orderChanges(before: JsonObject, after: JsonObject): readonly OrderChange[] {
  return inStruct(before, after, podTemplateSchema, undefined);
}

/** What a merge leaves alone it shares, so most parts need no look; the schema bounds the depth. */
function inStruct(
  before: JsonObject,
  after: JsonObject,
  schema: StructSchema,
  path: FieldPath,
): readonly OrderChange[] {
  return Object.entries(after).flatMap(([key, value]) => {
    const was = before[key];
    const field = schema.fields.get(key);
    if (was === value || field === undefined) return [];
    const at = fieldAt(path, key);
    if (field.object !== undefined && isJsonObject(was) && isJsonObject(value))
      return inStruct(was, value, field.object, at);
    return field.list !== undefined && isJsonList(was) && isJsonList(value) ? inList(was, value, field.list, at) : [];
  });
}

function inList(before: JsonList, after: JsonList, schema: ListSchema, path: FieldPath): readonly OrderChange[] {
  const { element, isMerged, mergeKey } = schema;
  if (!isMerged || mergeKey === "") return [];
  const olds = keyed(before, mergeKey);
  const news = keyed(after, mergeKey);
  const stayed = [...olds.keys()].filter((key) => news.has(key));
  const standing = [...news.keys()].filter((key) => olds.has(key));
  const isReordered = stayed.some((key, index) => key !== standing[index]);
  const keysOf = (elements: ReadonlyMap<string, JsonObject>) =>
    [...elements.values()].map((each) => each[mergeKey] ?? null);
  return [
    ...(isReordered ? [{ path, before: keysOf(olds), after: keysOf(news) }] : []),
    ...[...news].flatMap(([key, value]) => {
      const was = olds.get(key);
      if (was === undefined || was === value || element === undefined) return [];
      return inStruct(was, value, element, elementAt(path, mergeKey, value[mergeKey] ?? null));
    }),
  ];
}

function keyed(list: JsonList, mergeKey: string): ReadonlyMap<string, JsonObject> {
  return new Map(list.filter(isJsonObject).map((each) => [shownValue(each[mergeKey] ?? null), each]));
}
