// JSON patches (RFC 6902), all steps or none, with the leniency of the real server's library: a field that an object lacks can be
// replaced, and copied as null. Values are immutable: each step copies only the way from the root to its place.
//
// Beside this file:
//   merge-patch.ts, strategic-patch.ts  the two other formats
//   change-json.ts                      changes to values that share structure
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { withFields } from "../api-object.ts";
import { isSameJson } from "../same-json.ts";

/** The document after all steps; undefined when one of them cannot be done. */
export function applyJsonPatch(document: Json, steps: readonly Json[]): Json | undefined {
  let patched: Json | undefined = document;
  for (const step of steps) {
    if (patched === undefined || !isJsonObject(step)) return undefined;
    patched = applyStep(patched, step);
  }
  return patched;
}

function applyStep(document: Json, step: JsonObject): Json | undefined {
  const path = pointerOf(step.path);
  if (path === undefined) return undefined;
  const value = ownValue(step, "value");
  switch (step.op) {
    case "add":
      return value === undefined ? undefined : changeAt(document, path, add(value));
    case "replace":
      return value === undefined ? undefined : changeAt(document, path, replace(value));
    case "remove":
      return changeAt(document, path, remove);
    case "test":
      return isSameJson(valueAt(document, path) ?? null, value ?? null) ? document : undefined;
    case "copy":
    case "move":
      return relocate(document, step, path);
    default:
      return undefined;
  }
}

function relocate(document: Json, step: JsonObject, path: readonly string[]): Json | undefined {
  const from = pointerOf(step.from);
  const value = from === undefined ? undefined : memberAt(document, from);
  if (from === undefined || value === undefined) return undefined;
  const rest = step.op === "move" ? changeAt(document, from, remove) : document;
  return rest === undefined ? undefined : changeAt(rest, path, add(value));
}

/** The steps of a JSON pointer; undefined for a text that is none. */
function pointerOf(pointer: Json | undefined): readonly string[] | undefined {
  if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/"))) return undefined;
  const steps = pointer === "" ? [] : pointer.slice(1).split("/");
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(document: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, step) => {
    if (isJsonList(value)) return value[indexOf(step, value.length) ?? -1];
    return isJsonObject(value) ? ownValue(value, step) : undefined;
  }, document);
}

/** The value at a place; null for a field that an object lacks, undefined where there is no place. */
function memberAt(document: Json, path: readonly string[]): Json | undefined {
  const holder = path.length === 0 ? undefined : valueAt(document, path.slice(0, -1));
  return valueAt(document, path) ?? (isJsonObject(holder) ? null : undefined);
}

/** What becomes of the member of an object or list under the last step; undefined where it cannot be. */
type LastStep = (holder: Json, step: string) => Json | undefined;

function changeAt(document: Json, [step, ...below]: readonly string[], change: LastStep): Json | undefined {
  if (step === undefined) return change([document], "0") === undefined ? undefined : firstOf(change([document], "0"));
  if (below.length === 0) return change(document, step);
  const inner = valueAt(document, [step]);
  const changed = inner === undefined ? undefined : changeAt(inner, below, change);
  return changed === undefined ? undefined : replace(changed)(document, step);
}

/** The whole document is treated as the only member of a list. */
function firstOf(list: Json | undefined): Json | undefined {
  return isJsonList(list) ? list[0] : undefined;
}

const add =
  (value: Json): LastStep =>
  (holder, step) => {
    if (isJsonObject(holder)) return withFields(holder, { [step]: value });
    if (!isJsonList(holder)) return undefined;
    const index = step === "-" ? holder.length : indexOf(step, holder.length + 1);
    return index === undefined ? undefined : holder.toSpliced(index, 0, value);
  };

const replace =
  (value: Json): LastStep =>
  (holder, step) => {
    if (isJsonObject(holder)) return withFields(holder, { [step]: value });
    const index = isJsonList(holder) ? indexOf(step, holder.length) : undefined;
    return isJsonList(holder) && index !== undefined ? holder.with(index, value) : undefined;
  };

const remove: LastStep = (holder, step) => {
  if (isJsonObject(holder)) return Object.hasOwn(holder, step) ? withFields(holder, { [step]: undefined }) : undefined;
  const index = isJsonList(holder) ? indexOf(step, holder.length) : undefined;
  return isJsonList(holder) && index !== undefined ? holder.toSpliced(index, 1) : undefined;
};

function indexOf(step: string, count: number): number | undefined {
  const index = /^(0|[1-9][0-9]*)$/.test(step) ? Number(step) : undefined;
  return index !== undefined && index < count ? index : undefined;
}
