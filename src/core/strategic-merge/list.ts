// Two lists meet: the schema says whether the patch's list replaces the template's or is merged into it. A delete-list
// (`$deleteFromPrimitiveList`) takes scalars out of either.
import type { Json, JsonList } from "../json/json.ts";
import { commonElementType } from "./element-type.ts";
import { StrategicMergeError } from "./error.ts";
import { indexKeys } from "./key-index.ts";
import { type MergedList, mergeKeyedLists } from "./keyed-list.ts";
import { orderElements } from "./order.ts";
import type { FieldPath } from "./path.ts";
import type { ListPlace } from "./place.ts";
import { traceValue } from "./trace.ts";

/** The template's list with the patch's list applied to it. */
export function mergeLists(original: JsonList, patch: JsonList, place: ListPlace): MergedList {
  if (place.schema.isMerged) return mergeAlike(original, patch, place, mergeScalars);
  traceWhole(original, patch, place);
  return { list: patch, storage: original };
}

/** The template's list without the scalars of a delete-list; a delete-list of objects is merged like any other list. */
export function deleteFromList(original: JsonList, deleted: JsonList, place: ListPlace): JsonList {
  return mergeAlike(original, deleted, place, deleteScalars).list;
}

type MergeScalars = (original: JsonList, patch: JsonList, place: ListPlace) => MergedList;

function mergeAlike(original: JsonList, patch: JsonList, place: ListPlace, mergeOthers: MergeScalars): MergedList {
  const type = commonElementType(original, patch, place.path);
  if (type === undefined) return { list: original, storage: [] };
  if (type !== "object") return mergeOthers(original, patch, place);
  if (place.schema.mergeKey !== "") return mergeKeyedLists(original, patch, place);
  throw new StrategicMergeError("noMergeKeyForList", place.path, {
    problem: "objects in this list cannot be told apart, so it cannot be merged",
    remedy: "give the whole list, without a delete-list",
  });
}

function deleteScalars(original: JsonList, deleted: JsonList, place: ListPlace): MergedList {
  const unwanted = new Set(deleted);
  const rest = original.filter((element) => !unwanted.has(element));
  const list = rest.length === original.length ? original : rest;
  if (list !== original) traceWhole(original, list, place);
  return { list, storage: original };
}

/** The union of both, each scalar once. */
function mergeScalars(original: JsonList, patch: JsonList, place: ListPlace): MergedList {
  const { path, schema } = place;
  if (schema.mergeKey !== "") refuseScalars(schema.mergeKey, path);
  const union = [...new Set([...original, ...patch])];
  const storage = storageAfterUnion(original, patch);
  const [patchOrder, serverOrder] = [indexKeys(patch), indexKeys(storage)];
  const ordered = orderElements({ items: union, keys: union, patchOrder, serverOrder, path });
  const isUnchanged = ordered.length === original.length && ordered.every((element, at) => element === original[at]);
  const list = isUnchanged ? original : ordered;
  if (patch.length > 0) traceWhole(original, list, place);
  return { list, storage };
}

function refuseScalars(mergeKey: string, path: FieldPath): never {
  throw new StrategicMergeError("badArgType", path, {
    problem: "the elements are scalars",
    remedy: `give objects with the field ${JSON.stringify(mergeKey)}`,
  });
}

/** The capacities that a list passes through while Go decodes it (since 1.22); longer lists are not followed. */
const CAPACITIES = [1, 2, 4, 8, 16, 32, 71, 143, 303, 591, 1023];

/**
 * The original's memory after Go has put the patch behind it and removed duplicates. If the decoded list has spare
 * capacity for the patch this happens in place, and an original with duplicates is rewritten before its order is read.
 */
function storageAfterUnion(original: JsonList, patch: JsonList): JsonList {
  if (new Set(original).size === original.length) return original;
  const capacity = CAPACITIES.find((each) => each >= original.length);
  if (capacity === undefined || original.length + patch.length > capacity) return original;
  return overwriteDuplicates([...original, ...patch]).slice(0, original.length);
}

/** Each duplicate is overwritten by the last scalar, which then counts no more; what lies behind the end stays there. */
function overwriteDuplicates(memory: Json[]): JsonList {
  let last = memory.length - 1;
  for (let first = 0; first < last; first += 1) {
    for (let other = first + 1; other <= last; ) {
      if (memory[first] !== memory[other]) {
        other += 1;
        continue;
      }
      memory[other] = memory[last] ?? null;
      last -= 1;
    }
  }
  return memory;
}

function traceWhole(before: JsonList, after: JsonList, { trace, path }: ListPlace): void {
  if (trace !== undefined) traceValue(trace, path, { before, after });
}
