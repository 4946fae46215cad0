// The record of a merge: which fields a layer set or deleted, and what stood there before. The merge writes it as it
// goes, so a field counts as set also where the layer repeats the value that was there. The merge key of an element that
// existed is no such field: naming it is how a patch says which element it means.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../json/json.ts";
import { ownValue } from "./draft.ts";
import { elementAt, type FieldPath, fieldAt, isMergeKeyOf } from "./path.ts";
import type { ListSchema, StructSchema } from "./schema.ts";

/** One leaf that a layer set: a scalar, an empty object, or a list that is not told apart by merge keys. */
export type FieldSet = {
  readonly action: "set";
  readonly path: FieldPath;
  readonly layer: string;
  readonly value: Json;
  /** What stood there before; undefined if nothing did. */
  readonly replaced: Json | undefined;
};

/** One field or element that a layer took away, with everything below it. */
export type FieldDeleted = {
  readonly action: "delete";
  readonly path: FieldPath;
  readonly layer: string;
  readonly replaced: Json;
};

export type FieldChange = FieldSet | FieldDeleted;

/** The record in the making, on behalf of one layer. */
export type Trace = { readonly layer: string; readonly changes: FieldChange[] };

/** Notes that a field or element is gone. */
export function traceDelete({ layer, changes }: Trace, path: FieldPath, replaced: Json): void {
  changes.push({ action: "delete", path, layer, replaced });
}

/** Notes that a leaf has a value. */
export function traceLeaf({ layer, changes }: Trace, path: FieldPath, value: Json, replaced: Json | undefined): void {
  changes.push({ action: "set", path, layer, value, replaced });
}

export type Replacement = {
  readonly before: Json | undefined;
  readonly after: Json;
  readonly object?: StructSchema | undefined;
  readonly list?: ListSchema | undefined;
};

type Task = Replacement & { readonly path: FieldPath };

/** Notes every leaf of a value that was put in place as a whole, and what of its predecessor is gone. */
export function traceValue(trace: Trace, path: FieldPath, replacement: Replacement): void {
  // A stack of its own: the value comes from a patch and may nest as deep as it likes.
  const pending: Task[] = [{ path, ...replacement }];
  for (let task = pending.pop(); task !== undefined; task = pending.pop())
    for (const part of parts(trace, task).reverse()) pending.push(part);
}

/** Notes what can be noted at this level and returns what remains below it. */
function parts(trace: Trace, task: Task): Task[] {
  const { path, before, after, list } = task;
  if (isJsonObject(after) && Object.keys(after).length > 0) {
    if (before !== undefined && !isJsonObject(before)) traceDelete(trace, path, before);
    return partsOfObject(trace, task, isJsonObject(before) ? before : {}, after);
  }
  const afterByKey = isJsonList(after) ? byMergeKey(after, list) : undefined;
  if (list !== undefined && afterByKey !== undefined) {
    const beforeByKey = isJsonList(before) ? byMergeKey(before, list) : undefined;
    if (before !== undefined && beforeByKey === undefined) traceDelete(trace, path, before);
    return partsOfList(trace, path, list, { before: beforeByKey ?? new Map(), after: afterByKey });
  }
  traceLeaf(trace, path, after, before);
  return [];
}

function partsOfObject(trace: Trace, { path, object }: Task, before: JsonObject, after: JsonObject): Task[] {
  for (const [key, value] of Object.entries(before))
    if (!Object.hasOwn(after, key)) traceDelete(trace, fieldAt(path, key), value);
  const isKnownKey = (key: string): boolean => isMergeKeyOf(path, key) && Object.hasOwn(before, key);
  const fields = Object.entries(after).filter(([key]) => !isKnownKey(key));
  return fields.map(([key, value]) => {
    const field = object?.fields.get(key);
    const replacement = { before: ownValue(before, key), after: value, object: field?.object, list: field?.list };
    return { path: fieldAt(path, key), ...replacement };
  });
}

type ElementsByKey = ReadonlyMap<Json, Json>;

function partsOfList(
  trace: Trace,
  path: FieldPath,
  { mergeKey, element }: ListSchema,
  { before, after }: { readonly before: ElementsByKey; readonly after: ElementsByKey },
): Task[] {
  for (const [key, value] of before) if (!after.has(key)) traceDelete(trace, elementAt(path, mergeKey, key), value);
  return [...after].map(([key, value]) => ({
    path: elementAt(path, mergeKey, key),
    before: before.get(key),
    after: value,
    object: element,
  }));
}

/** The elements of a list by their merge keys; undefined where these do not tell all of them apart. */
function byMergeKey(list: JsonList, schema: ListSchema | undefined): ElementsByKey | undefined {
  if (schema === undefined || schema.mergeKey === "" || list.length === 0) return undefined;
  const elements = new Map<Json, Json>();
  for (const element of list) {
    const key = isJsonObject(element) ? ownValue(element, schema.mergeKey) : undefined;
    if (key === undefined || typeof key === "object" || elements.has(key)) return undefined;
    elements.set(key, element);
  }
  return elements;
}
