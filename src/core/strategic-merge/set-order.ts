// `$setElementOrder/<field>`: the patch says in which order the elements of a list shall stand. The field's own patch,
// if there is one, is merged on the way.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../json/json.ts";
import { shownValue } from "../values/shown.ts";
import { withoutDirectives } from "./adopt.ts";
import { type Draft, ownValue, readDraft, setInDraft } from "./draft.ts";
import { commonElementType } from "./element-type.ts";
import { StrategicMergeError } from "./error.ts";
import { type ElementKey, indexKeys, MISSING, positionOf } from "./key-index.ts";
import { lacksKey, type MergedList, requireKeys } from "./keyed-list.ts";
import { mergeLists } from "./list.ts";
import { orderElements } from "./order.ts";
import { type FieldPath, fieldAt } from "./path.ts";
import type { ListPlace, MergeObjects, ObjectPlace } from "./place.ts";
import { lookUpList } from "./schema.ts";
import { traceValue } from "./trace.ts";

export const SET_ELEMENT_ORDER = "$setElementOrder";

/** Applies one order directive of a patch, together with the patch of the field that it names, and returns that name. */
export function setElementOrder(
  draft: Draft,
  patch: JsonObject,
  directive: string,
  place: ObjectPlace,
  mergeElement: MergeObjects,
): string {
  const order = requireList(ownValue(patch, directive) ?? null, fieldAt(place.path, directive));
  const name = fieldNamedBy(directive, place.path);
  const path = fieldAt(place.path, name);
  const originalValue = readDraft(draft, name);
  const patchValue = ownValue(patch, name);
  const original = originalValue === undefined ? undefined : requireList(originalValue, path);
  const patched = patchValue === undefined ? undefined : requireList(patchValue, path);
  const schema = lookUpList(place.schema, name, path);
  const isOneStep = original === undefined || schema.mergeKey === "" || isReplaced(patched);
  const listPlace = { ...place, schema, path, trace: isOneStep ? undefined : place.trace, mergeElement };
  if (patched !== undefined) requireOrderCovers(patched, order, schema.mergeKey, path);
  const merged = mergeForOrder(original, patched, listPlace);
  if (merged !== undefined) {
    const both = { original: original ?? [], patched: patched ?? [] };
    const arranged = arrange(merged, order, both, listPlace);
    const after = isSameList(arranged, original) ? original : arranged;
    // Where the list may be one leaf its order is part of the value, which is settled only now.
    const isSet = both.patched.length > 0 || after !== original;
    if (place.trace !== undefined && isOneStep && isSet)
      traceValue(place.trace, path, { before: original, after, list: schema });
    setInDraft(draft, name, original, after);
  }
  return name;
}

function requireList(value: Json, path: FieldPath): JsonList {
  if (isJsonList(value)) return value;
  throw new StrategicMergeError("badArgType", path, {
    problem: `"${SET_ELEMENT_ORDER}" works on lists, but this is ${shownValue(value)}`,
    remedy: "give a list, or leave the order out",
  });
}

function fieldNamedBy(directive: string, path: FieldPath): string {
  if (directive.startsWith(`${SET_ELEMENT_ORDER}/`)) return directive.slice(SET_ELEMENT_ORDER.length + 1);
  throw new StrategicMergeError("badSetElementOrder", path, {
    problem: `${shownValue(directive)} names no field`,
    remedy: `write "${SET_ELEMENT_ORDER}/<field>"`,
  });
}

/** The patch's elements must stand in the order list, in the same sequence; those that delete others need not. */
function requireOrderCovers(patch: JsonList, order: JsonList, mergeKey: string, path: FieldPath): void {
  if (order.length === 0 || patch.length === 0) return;
  const elements = mergeKey === "" ? patch : patch.filter((element) => !isDeletion(requireObject(element, path)));
  let next = 0;
  let orderIndex = 0;
  while (next < elements.length && orderIndex < order.length) {
    const element = elements[next] ?? null;
    if (!hasDirective(element)) {
      const wanted = order[orderIndex] ?? null;
      orderIndex += 1;
      if (!isSameElement(element, wanted, mergeKey, path)) continue;
    }
    next += 1;
  }
  if (next === elements.length) return;
  throw new StrategicMergeError("orderMismatch", path, {
    problem: `the patch's element ${shownValue(elements[next] ?? null)} is not in "${SET_ELEMENT_ORDER}", or not at that place`,
    remedy: "list all elements of the patch there, in the patch's order",
  });
}

function isSameElement(element: Json, wanted: Json, mergeKey: string, path: FieldPath): boolean {
  if (mergeKey === "") return positionOf(indexKeys([wanted]), element, path) !== MISSING;
  const [ours, theirs] = [requireObject(element, path), requireObject(wanted, path)];
  const key = keyOf(ours, mergeKey, path);
  return positionOf(indexKeys([keyOf(theirs, mergeKey, path)]), key, path) !== MISSING;
}

function keyOf(element: JsonObject, mergeKey: string, path: FieldPath): ElementKey {
  const key = ownValue(element, mergeKey);
  return key === undefined ? lacksKey(element, mergeKey, path) : key;
}

function requireObject(element: Json, path: FieldPath): JsonObject {
  if (isJsonObject(element)) return element;
  throw new StrategicMergeError("badArgType", path, {
    problem: `${shownValue(element)} stands where an object is needed`,
    remedy: "give objects with the list's merge key",
  });
}

function hasDirective(element: Json): boolean {
  return isJsonObject(element) && Object.hasOwn(element, "$patch");
}

function isDeletion(element: JsonObject): boolean {
  return ownValue(element, "$patch") === "delete";
}

function isReplaced(patch: JsonList | undefined): boolean {
  return patch?.some((element) => isJsonObject(element) && ownValue(element, "$patch") === "replace") ?? false;
}

/** The elements that are to be ordered; undefined where neither side has the list. */
function mergeForOrder(
  original: JsonList | undefined,
  patch: JsonList | undefined,
  place: ListPlace,
): MergedList | undefined {
  if (original !== undefined && patch !== undefined) return mergeLists(original, patch, place);
  if (original !== undefined) return { list: original, storage: keysOf(original, place.schema.mergeKey) };
  if (patch === undefined) return undefined;
  return { list: withoutDirectives(patch), storage: [] };
}

function keysOf(list: JsonList, mergeKey: string): readonly (ElementKey | undefined)[] {
  if (mergeKey === "") return list;
  return list.map((element) => (isJsonObject(element) ? ownValue(element, mergeKey) : undefined));
}

type BothLists = { readonly original: JsonList; readonly patched: JsonList };

function arrange(merged: MergedList, order: JsonList, both: BothLists, place: ListPlace): JsonList {
  const { path, schema } = place;
  const { mergeKey } = schema;
  if (mergeKey === "") requireScalars([...order, ...merged.list], path);
  else requireFindable(merged.list, order, mergeKey, path);
  const type = commonElementType(both.original, both.patched, path);
  if (type === undefined) {
    throw new StrategicMergeError("noElements", path, {
      problem: "there are no elements to order",
      remedy: `leave "${SET_ELEMENT_ORDER}" out`,
    });
  }
  const { original } = both;
  if (type !== "object") {
    const serverOrder = indexKeys(merged.storage.slice(0, original.length));
    return orderElements({ items: merged.list, keys: merged.list, patchOrder: indexKeys(order), serverOrder, path });
  }
  const orderKeys = requireKeys(elementsIn(order, mergeKey, path), mergeKey, path);
  const isKeyless = mergeKey === "";
  const storage = isKeyless ? elementsIn(original, "", path).keys : merged.storage.slice(0, original.length);
  const storedKeys = requireKeys({ items: original, keys: storage }, mergeKey, path);
  const keys = requireKeys(elementsIn(merged.list, mergeKey, path), mergeKey, path);
  const [patchOrder, serverOrder] = [indexKeys(orderKeys), indexKeys(storedKeys)];
  return orderElements({ items: merged.list, keys, patchOrder, serverOrder, path });
}

function elementsIn(list: JsonList, mergeKey: string, path: FieldPath) {
  const items = list.map((element) => requireObject(element, path));
  return { items, keys: items.map((item) => ownValue(item, mergeKey)) };
}

/** Without merge key, elements are compared as they are, which Go can only do with scalars. */
function requireScalars(elements: JsonList, path: FieldPath): void {
  const odd = elements.find((element) => typeof element === "object" && element !== null);
  if (odd === undefined) return;
  throw new StrategicMergeError("goPanic", path, {
    problem: `"${SET_ELEMENT_ORDER}" cannot tell apart objects or lists in a field without merge key`,
    remedy: "give the whole list in the order it should have",
  });
}

/** Each element is looked for in the order list from its beginning, and everything passed on the way must be an object. */
function requireFindable(elements: JsonList, order: JsonList, mergeKey: string, path: FieldPath): void {
  const firstOdd = order.findIndex((element) => !isJsonObject(element));
  const readable = firstOdd === -1 ? order : order.slice(0, firstOdd);
  const index = indexKeys(keysOf(readable, mergeKey));
  for (const element of elements) {
    const key = keyOf(requireObject(element, path), mergeKey, path);
    if (positionOf(index, key, path) !== MISSING || firstOdd === -1) continue;
    throw new StrategicMergeError("notAMap", path, {
      problem: `"${SET_ELEMENT_ORDER}" holds ${shownValue(order[firstOdd] ?? null)} at ${firstOdd}`,
      remedy: `give objects with the field ${JSON.stringify(mergeKey)}`,
    });
  }
}

function isSameList(list: JsonList, original: JsonList | undefined): original is JsonList {
  return (
    original !== undefined && list.length === original.length && list.every((element, at) => element === original[at])
  );
}
