// Two lists of objects meet, element by element: those with equal merge keys are merged, new ones are appended as they
// stand, and elements that carry `$patch` delete others or replace the list.
import { isJsonObject, type Json, type JsonList, type JsonObject } from "../json/json.ts";
import { shownValue } from "../values/shown.ts";
import { ownValue } from "./draft.ts";
import { StrategicMergeError } from "./error.ts";
import { type ElementKey, indexKey, indexKeys, type KeyIndex, MISSING, positionOf } from "./key-index.ts";
import { orderElements } from "./order.ts";
import { elementAt, type FieldPath } from "./path.ts";
import type { ListPlace } from "./place.ts";
import { traceDelete, traceValue } from "./trace.ts";

export type MergedList = {
  readonly list: JsonList;
  /**
   * The keys that the original list's memory holds after Go has merged in place, of which `$setElementOrder` sees as
   * many as the original list was long. An element without key is undefined.
   */
  readonly storage: readonly (ElementKey | undefined)[];
};

/** The elements of a list of objects, with their keys. */
type Elements = { readonly items: JsonObject[]; readonly keys: (ElementKey | undefined)[] };

/** Merges two lists whose elements are all objects, in the order that Kubernetes gives them. */
export function mergeKeyedLists(original: JsonList, patch: JsonList, place: ListPlace): MergedList {
  const { schema, path } = place;
  const { mergeKey } = schema;
  const elements = elementsOf(original, mergeKey);
  const special = readSpecialElements(patch, elements, place);
  const { kept, stale } = deleteElements(elements, special.deleted, place);
  const incoming = elementsOf(special.rest, mergeKey);
  if (special.isReplaced) {
    const keys = requireKeys(incoming, mergeKey, path);
    const itself = indexKeys(keys);
    const list = orderElements({ items: incoming.items, keys, patchOrder: indexKeys([]), serverOrder: itself, path });
    if (place.trace !== undefined) traceValue(place.trace, path, { before: kept.items, after: list, list: schema });
    return { list, storage: [...kept.keys, ...stale] };
  }
  const serverCount = kept.items.length;
  const serverOrder = mergeElements(kept, incoming, place);
  serverOrder.end = serverCount;
  const keys = requireKeys(kept, mergeKey, path);
  const list = orderElements({ items: kept.items, keys, patchOrder: indexKeys(incoming.keys), serverOrder, path });
  // New elements fill the stale places first; what then remains of these is behind every element that can be looked up.
  return { list: hasSameElements(list, original) ? original : list, storage: keys };
}

/** The keys of all elements; an error where one has none. */
export function requireKeys(
  { items, keys }: { readonly items: JsonList; readonly keys: readonly (ElementKey | undefined)[] },
  mergeKey: string,
  path: FieldPath,
): readonly ElementKey[] {
  return isComplete(keys) ? keys : lacksKey(items[keys.indexOf(undefined)] ?? null, mergeKey, path);
}

function isComplete(keys: readonly (ElementKey | undefined)[]): keys is readonly ElementKey[] {
  return !keys.includes(undefined);
}

/** The error for an element that cannot be told from others. */
export function lacksKey(element: Json, mergeKey: string, path: FieldPath): never {
  throw new StrategicMergeError("noMergeKey", path, {
    problem: `the element ${shownValue(element)} lacks the merge key ${JSON.stringify(mergeKey)}`,
    remedy: "add it",
  });
}

function elementsOf(list: JsonList, mergeKey: string): Elements {
  const items: JsonObject[] = [];
  const keys: (ElementKey | undefined)[] = [];
  for (const element of list) {
    if (!isJsonObject(element)) continue;
    items.push(element);
    keys.push(ownValue(element, mergeKey));
  }
  return { items, keys };
}

type SpecialElements = {
  /** The patch without special elements. */
  readonly rest: JsonList;
  readonly deleted: readonly ElementKey[];
  readonly isReplaced: boolean;
};

function readSpecialElements(patch: JsonList, original: Elements, { schema, path }: ListPlace): SpecialElements {
  const rest: Json[] = [];
  const deleted: ElementKey[] = [];
  let isReplaced = false;
  let known: KeyIndex | undefined;
  for (const element of patch) {
    if (!isJsonObject(element) || !Object.hasOwn(element, "$patch")) {
      rest.push(element);
      continue;
    }
    const directive = element.$patch ?? null;
    if (directive === "replace") isReplaced = true;
    else if (directive === "delete") {
      const key = ownValue(element, schema.mergeKey);
      if (key === undefined) lacksKey(element, schema.mergeKey, path);
      known ??= indexKeys(original.keys);
      if (positionOf(known, key, path) !== MISSING) deleted.push(key);
    } else refuseDirective(directive, path);
  }
  return { rest, deleted, isReplaced };
}

function refuseDirective(directive: Json, path: FieldPath): never {
  const isMerge = directive === "merge";
  throw new StrategicMergeError(isMerge ? "mergeDirectiveInList" : "badPatchType", path, {
    problem: `an element has "$patch": ${shownValue(directive)}, which is not possible in a list`,
    remedy: isMerge ? 'leave it out: merging is what happens without "$patch"' : 'use "delete" or "replace"',
  });
}

/**
 * Takes away every element with one of the keys. Go closes each gap by moving the tail one place down, which leaves
 * a copy of the last element in the place that became free: these stale places are told from the end of the kept ones on.
 */
function deleteElements(elements: Elements, deleted: readonly ElementKey[], place: ListPlace) {
  const stale: (ElementKey | undefined)[] = [];
  if (deleted.length === 0) return { kept: elements, stale };
  const { items, keys } = elements;
  const places = new Map<ElementKey | undefined, number[]>();
  for (const [at, key] of keys.entries()) {
    const known = places.get(key);
    if (known === undefined) places.set(key, [at]);
    else known.push(at);
  }
  const gone = new Set<number>();
  let last = items.length - 1;
  for (const key of deleted) {
    for (const at of places.get(key) ?? []) {
      while (gone.has(last)) last -= 1;
      stale.push(keys[last]);
      gone.add(at);
      const element = items[at];
      if (place.trace !== undefined && element !== undefined)
        traceDelete(place.trace, elementAt(place.path, place.schema.mergeKey, key), element);
    }
    places.delete(key);
  }
  const kept = { items: items.filter((_, at) => !gone.has(at)), keys: keys.filter((_, at) => !gone.has(at)) };
  return { kept, stale: stale.reverse() };
}

/** Merges or appends each incoming element in turn and returns the index of the result's keys. */
function mergeElements(
  { items, keys }: Elements,
  incoming: Elements,
  { schema, path, trace, plain, mergeElement }: ListPlace,
) {
  const index = indexKeys(keys, items.length + incoming.items.length);
  let at = -1;
  for (const patch of incoming.items) {
    at += 1;
    const key = incoming.keys[at];
    if (key === undefined) lacksKey(patch, schema.mergeKey, path);
    const position = positionOf(index, key, path);
    const elementPath = elementAt(path, schema.mergeKey, key);
    const original = position === MISSING ? undefined : items[position];
    if (original === undefined) {
      items.push(patch);
      keys.push(key);
      indexKey(index, keys.length - 1);
      if (trace !== undefined)
        traceValue(trace, elementPath, { before: undefined, after: patch, object: schema.element });
      continue;
    }
    const merged = mergeElement(original, patch, { schema: schema.element, path: elementPath, trace, plain });
    // Only a null or a directive can take the key away, and no later element can give it back.
    if (!Object.hasOwn(merged, schema.mergeKey)) lacksKey(merged, schema.mergeKey, elementPath);
    items[position] = merged;
  }
  return index;
}

function hasSameElements(list: JsonList, other: JsonList): boolean {
  if (list.length !== other.length) return false;
  for (let at = 0; at < list.length; at += 1) if (list[at] !== other[at]) return false;
  return true;
}
