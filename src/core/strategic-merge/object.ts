// Two objects meet: the patch's directives first, then its fields, one by one. What the patch does not name stays.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { shownValue } from "../values/shown.ts";
import { adopt } from "./adopt.ts";
import {
  type Draft,
  draftOf,
  finishDraft,
  ownValue,
  readDraft,
  removeFromDraft,
  setInDraft,
  without,
} from "./draft.ts";
import { dynamicType } from "./element-type.ts";
import { StrategicMergeError } from "./error.ts";
import { joinNew } from "./join.ts";
import { deleteFromList, mergeLists } from "./list.ts";
import { type FieldPath, fieldAt, isMergeKeyOf } from "./path.ts";
import type { ObjectPlace } from "./place.ts";
import { lookUpField, lookUpList } from "./schema.ts";
import { SET_ELEMENT_ORDER, setElementOrder } from "./set-order.ts";
import { traceDelete, traceLeaf, traceValue } from "./trace.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList";
const DOLLAR = 36;

/**
 * The original with the patch applied; the original itself where nothing changes.
 * Calls of itself are bounded by the schema, which has no cycles: where it ends, two nested objects are an error.
 */
export function mergeObjects(original: JsonObject, patch: JsonObject, place: ObjectPlace): JsonObject {
  const keys = Object.keys(patch);
  for (const key of keys) if (key.charCodeAt(0) === DOLLAR) return mergeWithDirectives(original, patch, keys, place);
  const draft = draftOf(original);
  for (const key of keys) mergeField(draft, key, patch[key], place);
  return finishDraft(draft);
}

function mergeWithDirectives(
  original: JsonObject,
  patch: JsonObject,
  keys: readonly string[],
  place: ObjectPlace,
): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return replaceObject(original, patch, place);
  const draft = draftOf(original);
  const consumed = new Set([RETAIN_KEYS]);
  if (Object.hasOwn(patch, RETAIN_KEYS)) retainKeys(draft, patch, place);
  for (const key of keys.filter((each) => each.startsWith(SET_ELEMENT_ORDER))) {
    consumed.add(key);
    consumed.add(setElementOrder(draft, patch, key, place, mergeObjects));
  }
  const rest = keys.filter((key) => !consumed.has(key));
  const deleting = rest.filter((key) => key.startsWith(DELETE_FROM_LIST));
  // Go takes the keys in any order. Here a field's own key outdoes a delete-list that only acts like it, and where
  // a patch adds to a list and deletes from it, it adds first.
  for (const key of deleting) if (!isDeletion(patch[key])) mergeDeleteList(draft, key, patch[key], place);
  for (const key of rest) if (!key.startsWith(DELETE_FROM_LIST)) mergeField(draft, key, patch[key], place);
  for (const key of deleting) if (isDeletion(patch[key])) mergeDeleteList(draft, key, patch[key], place);
  return finishDraft(draft);
}

function isDeletion(value: Json | undefined): boolean {
  return value === null || isJsonList(value);
}

function replaceObject(original: JsonObject, patch: JsonObject, { schema, path, trace }: ObjectPlace): JsonObject {
  const directive = patch[DIRECTIVE] ?? null;
  if (directive !== "replace" && directive !== "delete") {
    throw new StrategicMergeError("badPatchType", path, {
      problem: `"$patch" is ${shownValue(directive)}`,
      remedy: 'use "replace" or "delete", or leave it out to merge',
    });
  }
  const after = directive === "delete" ? {} : without(patch, new Set([DIRECTIVE]));
  if (trace !== undefined) traceValue(trace, path, { before: original, after, object: schema });
  return after;
}

/** Drops every field of the original that the list does not name; the patch may set only what it names. */
function retainKeys(draft: Draft, patch: JsonObject, { path, trace }: ObjectPlace): void {
  const listed = ownValue(patch, RETAIN_KEYS) ?? null;
  if (!isJsonList(listed)) refuseRetainKeys(`is ${shownValue(listed)}, which is no list`, path);
  const retained = new Set(listed);
  if (listed.some((key) => typeof key === "object" && key !== null)) {
    throw new StrategicMergeError("goPanic", path, {
      problem: `"${RETAIN_KEYS}" holds an object or a list`,
      remedy: "give names of fields only",
    });
  }
  for (const [key, value] of Object.entries(patch)) {
    const isFree = value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ELEMENT_ORDER);
    if (key !== RETAIN_KEYS && !isFree && !retained.has(key))
      refuseRetainKeys(`does not list ${shownValue(key)}, which the patch sets`, path);
  }
  for (const [key, value] of Object.entries(draft.original)) {
    if (retained.has(key)) continue;
    if (trace !== undefined) traceDelete(trace, fieldAt(path, key), value);
    removeFromDraft(draft, key);
  }
}

function refuseRetainKeys(problem: string, path: FieldPath): never {
  throw new StrategicMergeError("badRetainKeys", path, {
    problem: `"${RETAIN_KEYS}" ${problem}`,
    remedy: "list all fields that shall remain",
  });
}

/** Only lists are treated apart: on an object or scalar the directive acts like the plain field. */
function mergeDeleteList(draft: Draft, directive: string, value: Json | undefined, place: ObjectPlace): void {
  if (!directive.startsWith(`${DELETE_FROM_LIST}/`)) {
    throw new StrategicMergeError("badPrimitiveList", place.path, {
      problem: `${shownValue(directive)} names no field`,
      remedy: `write "${DELETE_FROM_LIST}/<field>"`,
    });
  }
  // Go takes a directive with an empty name for a field of its own.
  const key = directive.slice(DELETE_FROM_LIST.length + 1) || directive;
  const before = readDraft(draft, key);
  const canMeet = before !== undefined && value !== undefined && dynamicType(before) === dynamicType(value);
  if (value !== null && !canMeet) return;
  if (isJsonList(before) && isJsonList(value)) {
    const path = fieldAt(place.path, key);
    const schema = lookUpList(place.schema, key, path);
    const list = deleteFromList(before, value, { ...place, schema, path, mergeElement: mergeObjects });
    setInDraft(draft, key, before, list);
  } else mergeField(draft, key, value, place);
}

function mergeField(draft: Draft, key: string, value: Json | undefined, place: ObjectPlace): void {
  // JSON knows no undefined; a patch that was put together in memory may hold one, which then says nothing.
  if (value === undefined) return;
  const before = readDraft(draft, key);
  if (value === null) removeField(draft, key, before, place);
  else if (before === undefined || dynamicType(before) !== dynamicType(value))
    adoptField(draft, key, { before, value }, place);
  else mergeAlike(draft, key, { before, value }, place);
}

type Meeting = { readonly before: Json; readonly value: Json };

/** Both sides hold a value of one type. */
function mergeAlike(draft: Draft, key: string, { before, value }: Meeting, place: ObjectPlace): void {
  const path = fieldAt(place.path, key);
  const { trace, plain } = place;
  if (isJsonObject(before) && isJsonObject(value)) {
    const schema = lookUpField(place.schema, key, path).object;
    setInDraft(draft, key, before, mergeObjects(before, value, { schema, path, trace, plain }));
  } else if (isJsonList(before) && isJsonList(value)) {
    const schema = lookUpList(place.schema, key, path);
    const listPlace = { schema, path, trace, plain, mergeElement: mergeObjects };
    const list = joinNew(before, value, listPlace) ?? mergeLists(before, value, listPlace).list;
    setInDraft(draft, key, before, list);
  } else {
    if (trace !== undefined && !isMergeKeyOf(place.path, key)) traceLeaf(trace, path, value, before);
    setInDraft(draft, key, before, value);
  }
}

function removeField(draft: Draft, key: string, before: Json | undefined, { path, trace }: ObjectPlace): void {
  if (before === undefined) return;
  if (trace !== undefined) traceDelete(trace, fieldAt(path, key), before);
  removeFromDraft(draft, key);
}

type Adoption = { readonly before: Json | undefined; readonly value: Json };

function adoptField(draft: Draft, key: string, { before, value }: Adoption, place: ObjectPlace): void {
  const adopted = adopt(value);
  if (adopted === undefined) {
    removeField(draft, key, before, place);
    return;
  }
  if (place.trace !== undefined) {
    const field = place.schema?.fields.get(key);
    const replacement = { before, after: adopted, object: field?.object, list: field?.list };
    traceValue(place.trace, fieldAt(place.path, key), replacement);
  }
  setInDraft(draft, key, before, adopted);
}
