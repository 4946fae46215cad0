// What becomes of a patch value that meets nothing in the template: it is taken over without the nulls and directives
// that only make sense against a counterpart. All walks here use their own stack: a patch may nest as deep as it likes.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../json/json.ts";
import { setOwn } from "./draft.ts";

export type Cleaning = {
  /** Entries of objects that are null go too; elements of lists never do. */
  readonly dropsNulls: boolean;
};

/** The value without directives and null entries; undefined if it is a directive itself. */
export function adopt(value: Json): Json | undefined {
  return isScalar(value) ? value : cleaned(value, { dropsNulls: true });
}

/** The list without elements (and, inside them, objects) that carry `$patch`; nulls stay. */
export function withoutDirectives(list: JsonList): JsonList {
  const rest = cleaned(list, { dropsNulls: false });
  return isJsonList(rest) ? rest : [];
}

function cleaned(value: JsonList | JsonObject, cleaning: Cleaning): JsonList | JsonObject | undefined {
  if (isCarrier(value, cleaning)) return undefined;
  return isClean(value, cleaning) ? value : copyCleaned(value, cleaning);
}

function isScalar(value: Json): value is Exclude<Json, JsonList | JsonObject> {
  return typeof value !== "object" || value === null;
}

/** An object with `$patch`. Nulls are dropped first, so `$patch: null` is no directive where nulls are dropped. */
function isCarrier(value: JsonList | JsonObject, { dropsNulls }: Cleaning): boolean {
  if (!isJsonObject(value) || !Object.hasOwn(value, "$patch")) return false;
  return !(dropsNulls && value.$patch === null);
}

/** Most values need no cleaning and can be shared as they are. */
function isClean(root: JsonList | JsonObject, cleaning: Cleaning): boolean {
  const pending: (JsonList | JsonObject)[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const keepsNulls = isJsonList(next) || !cleaning.dropsNulls;
    for (const value of isJsonList(next) ? next : Object.values(next)) {
      if (value === null && !keepsNulls) return false;
      if (isScalar(value)) continue;
      if (isCarrier(value, cleaning)) return false;
      pending.push(value);
    }
  }
  return true;
}

type CopyTask =
  | { readonly from: JsonList; readonly into: Json[] }
  | { readonly from: JsonObject; readonly into: Record<string, Json> };

function copyCleaned(root: JsonList | JsonObject, cleaning: Cleaning): JsonList | JsonObject {
  const pending: CopyTask[] = [];
  /** An empty copy that is filled when its turn comes. */
  const startCopy = (value: JsonList | JsonObject): Json[] | Record<string, Json> => {
    const task: CopyTask = isJsonList(value) ? { from: value, into: [] } : { from: value, into: {} };
    pending.push(task);
    return task.into;
  };
  const keep = (value: Json): Json | undefined => {
    if (isScalar(value)) return value;
    return isCarrier(value, cleaning) ? undefined : startCopy(value);
  };
  const copy = startCopy(root);
  for (let task = pending.pop(); task !== undefined; task = pending.pop()) fill(task, keep, cleaning);
  return copy;
}

function fill(task: CopyTask, keep: (value: Json) => Json | undefined, { dropsNulls }: Cleaning): void {
  if (isListTask(task)) {
    for (const element of task.from) {
      const kept = keep(element);
      if (kept !== undefined) task.into.push(kept);
    }
    return;
  }
  for (const [key, value] of Object.entries(task.from)) {
    const kept = dropsNulls && value === null ? undefined : keep(value);
    if (kept !== undefined) setOwn(task.into, key, kept);
  }
}

function isListTask(task: CopyTask): task is Extract<CopyTask, { readonly from: JsonList }> {
  return isJsonList(task.from);
}
