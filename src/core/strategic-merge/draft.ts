// An object in the course of being changed: the original stays as it is, reads see the changes, and where nothing
// changes the original itself comes out again, so that unchanged parts of a template are shared.
import type { Json, JsonObject } from "../json/json.ts";

export type Draft = {
  readonly original: JsonObject;
  /** Made by the first change. */
  copy: Record<string, Json> | undefined;
  /** Keys that are gone; they leave the copy when the draft is finished. */
  removed: Set<string> | undefined;
};

/** A draft that so far equals the original. */
export function draftOf(original: JsonObject): Draft {
  return { original, copy: undefined, removed: undefined };
}

/** The object's own value under a key; undefined where there is none, also for keys such as `constructor`. */
export function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value that the draft holds under a key. */
export function readDraft(draft: Draft, key: string): Json | undefined {
  if (draft.removed?.has(key)) return undefined;
  return ownValue(draft.copy ?? draft.original, key);
}

/** Puts a value under a key in the place of another; the same value again is no change. */
export function setInDraft(draft: Draft, key: string, before: Json | undefined, value: Json): void {
  if (before === value) return;
  draft.copy ??= { ...draft.original };
  draft.removed?.delete(key);
  setOwn(draft.copy, key, value);
}

/** Takes a key away that the draft holds. */
export function removeFromDraft(draft: Draft, key: string): void {
  draft.removed ??= new Set();
  draft.removed.add(key);
}

/** The object with all changes; the original itself when there were none. */
export function finishDraft({ original, copy, removed }: Draft): JsonObject {
  const latest = copy ?? original;
  return removed === undefined || removed.size === 0 ? latest : without(latest, removed);
}

/** A copy of an object that lacks some keys. */
export function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  // Deleting from a copy would be shorter, but turns it into a slow dictionary for everyone who reads it later.
  const rest: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object)) if (!keys.has(key)) setOwn(rest, key, value);
  return rest;
}

/** Sets an own property: plain assignment to `__proto__` would replace the prototype instead. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
