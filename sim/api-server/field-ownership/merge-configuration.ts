// Lays an applied configuration over a live object: maps key by key, lists by their elements, atomic values as a whole. Nothing
// is removed here (see give-up.ts), and what does not change keeps its identity. Mirrors Merge, with its order of list elements.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue, setOwn } from "../../../src/core/strategic-merge/draft.ts";
import { isSameJson } from "../same-json.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { elementOf, openList, openMap, shapeOf } from "./typed-value.ts";

/** The live object with everything that the configuration names. */
export function mergeConfiguration(type: FieldType, live: JsonObject, applied: JsonObject): JsonObject {
  const merged = mergeValue(type, live, applied);
  return isJsonObject(merged) ? merged : applied;
}

function mergeValue(type: FieldType, live: Json | undefined, applied: Json): Json {
  if (live === undefined) return applied;
  switch (shapeOf(type, applied)) {
    case "map":
      return mergeMap(type.map, live, applied);
    case "list":
      return mergeList(type.list, live, applied);
    case "scalar":
      return appliedOver(live, applied);
  }
}

function appliedOver(live: Json, applied: Json): Json {
  return isSameJson(live, applied) ? live : applied;
}

function mergeMap(type: MapType, live: Json, applied: Json): Json {
  const [old, next] = [openMap(type, live), openMap(type, applied)];
  // Null and {} are told apart only where there is nothing to keep.
  if (old === undefined) return appliedOver(live, applied);
  if (next === undefined) return old;
  let merged: Record<string, Json> | undefined;
  for (const key in next) {
    const value = next[key];
    const valueType = type.fields.get(key)?.type ?? type.others;
    if (value === undefined || valueType === undefined) continue;
    const before = ownValue(old, key);
    const after = mergeValue(valueType, before, value);
    if (after === before) continue;
    merged ??= { ...old };
    setOwn(merged, key, after);
  }
  return merged ?? old;
}

function mergeList(type: ListType, live: Json, applied: Json): Json {
  const [old, next] = [openList(type, live), openList(type, applied)];
  if (old === undefined) return appliedOver(live, applied);
  if (next === undefined) return old;
  const merged = mergeItems(type, itemsOf(type, old), itemsOf(type, next));
  return merged.length === old.length && merged.every((item, index) => item === old[index]) ? old : merged;
}

type Items = {
  readonly list: readonly Json[];
  readonly elements: readonly string[];
  /** The item of an element; null where several items have the same, of which none is merged. */
  readonly byElement: ReadonlyMap<string, Json>;
};

function itemsOf(type: ListType, list: readonly Json[]): Items {
  const elements = list.map((item) => elementOf(type, item) ?? "");
  const byElement = new Map<string, Json>();
  for (const [index, element] of elements.entries())
    byElement.set(element, byElement.has(element) ? null : (list[index] ?? null));
  return { list, elements, byElement };
}

/** Elements that both have stand in the applied order; those of the live list alone keep their place between them. */
function mergeItems({ items }: ListType, live: Items, applied: Items): readonly Json[] {
  const out: Json[] = [];
  const taken = new Set<string>();
  const shared = applied.elements.filter((element) => live.byElement.has(element));
  let nextShared = 0;
  const takeApplied = (element: string) => {
    taken.add(element);
    out.push(mergeValue(items, live.byElement.get(element), applied.byElement.get(element) ?? null));
    if (shared[nextShared] === element) nextShared += 1;
  };
  let [left, right] = [0, 0];
  while (left < live.elements.length || right < applied.elements.length) {
    const ours = live.elements[left];
    const theirs = applied.elements[right];
    const isShared = ours !== undefined && applied.byElement.has(ours);
    const wanted = shared[nextShared];
    if (isShared && ours === theirs) {
      takeApplied(ours);
      left += 1;
      right += 1;
    } else if (isShared && theirs !== undefined && wanted !== undefined && wanted !== ours) {
      // Its turn comes, or has been, in the applied order.
      left += 1;
    } else if (ours !== undefined && !isShared) {
      out.push(live.list[left] ?? null);
      left += 1;
    } else {
      if (ours !== undefined && taken.has(ours)) left += 1;
      if (theirs !== undefined) takeApplied(theirs);
      right += 1;
    }
  }
  return out;
}
