// Reading and rebuilding API objects as plain immutable JSON. Metadata is always written in the order of the real server's
// struct: objects of one kind then share their shape in memory, and texts that quote them come out alike.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { ownValue, setOwn } from "../../src/core/strategic-merge/draft.ts";
import { namedKey } from "../../src/kube/resource.ts";

const metadataOrder: readonly string[] = [
  ...["name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"],
  ...["deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"],
  "managedFields",
];

const metadataPlaces: ReadonlyMap<string, number> = new Map(metadataOrder.map((key, place) => [key, place]));

/** Fields to put into an object; undefined takes the field away. */
export type Fields = { readonly [key: string]: Json | undefined };

const nothing: JsonObject = {};

// What every object inherits are functions, and no texts, numbers or lists: for these the first look is enough.

/** The object under a key; an empty one where there is none. */
export function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = key === "__proto__" ? ownValue(holder, key) : holder[key];
  return isJsonObject(value) ? value : nothing;
}

/** The list under a key; an empty one where there is none. */
export function listAt(holder: JsonObject, key: string): readonly Json[] {
  const value = holder[key];
  return isJsonList(value) ? value : [];
}

/** The text under a key; an empty one where there is none. */
export function textAt(holder: JsonObject, key: string): string {
  const value = holder[key];
  return typeof value === "string" ? value : "";
}

/** The number under a key, if there is one. */
export function numberAt(holder: JsonObject, key: string): number | undefined {
  const value = holder[key];
  return typeof value === "number" ? value : undefined;
}

export function metaOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : nothing;
}

export function nameOf(object: JsonObject): string {
  return textAt(metaOf(object), "name");
}

/** The key under which an object is stored. */
export function keyOfObject(object: JsonObject): string {
  const meta = metaOf(object);
  return namedKey(textAt(meta, "name"), textAt(meta, "namespace"));
}

/** The value at a dotted path such as `.spec.replicas` or `spec.nodeName`. */
export function valueAtPath(object: JsonObject, path: string): Json | undefined {
  return stepsOf(path).reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) ? ownValue(value, step) : undefined),
    object,
  );
}

/** A copy with a value at a dotted path; missing objects on the way are made. */
export function withValueAtPath(object: JsonObject, path: string, value: Json): JsonObject {
  const [step = "", ...below] = stepsOf(path);
  const inner = below.length === 0 ? value : withValueAtPath(objectAt(object, step), below.join("."), value);
  return withFields(object, { [step]: inner });
}

function stepsOf(path: string): readonly string[] {
  return (path.startsWith(".") ? path.slice(1) : path).split(".");
}

/** A copy with some fields changed; others keep their place. */
export function withFields(object: JsonObject, fields: Fields): JsonObject {
  if (addsOnly(fields)) return { ...object, ...fields };
  const copy: Record<string, Json> = {};
  for (const key in object) {
    const value = Object.hasOwn(fields, key) ? fields[key] : object[key];
    if (value !== undefined) setOwn(copy, key, value);
  }
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined && !Object.hasOwn(object, key)) setOwn(copy, key, value);
  }
  return copy;
}

/** True if no field is taken away: then the engine's own copy does, which is several times faster. */
function addsOnly(fields: Fields): fields is JsonObject {
  for (const key in fields) if (fields[key] === undefined) return false;
  return true;
}

/** A copy with some metadata changed; the object itself when it is so already. */
export function withMeta(object: JsonObject, fields: Fields): JsonObject {
  const meta = metaOf(object);
  for (const key in fields)
    if (fields[key] !== ownValue(meta, key)) return withFields(object, { metadata: orderedMeta(meta, fields) });
  return object;
}

/** The object with only the metadata that the server knows, in its order. */
export function withKnownMeta(object: JsonObject): JsonObject {
  return withFields(object, { metadata: orderedMeta(metaOf(object), nothing) });
}

function orderedMeta(meta: JsonObject, fields: Fields): JsonObject {
  const all: Fields = { ...meta, ...fields };
  if (isInOrder(all)) return all;
  const ordered: Record<string, Json> = {};
  for (const key of metadataOrder) {
    // Nothing that the server knows has the name of something inherited.
    const value = all[key];
    if (value !== undefined && !isEmpty(value)) ordered[key] = value;
  }
  return ordered;
}

/** True for metadata as the server writes it; most changes replace what is there. */
function isInOrder(meta: Fields): meta is JsonObject {
  let before = -1;
  for (const key in meta) {
    const place = metadataPlaces.get(key) ?? -1;
    const value = meta[key];
    if (place <= before || value === undefined || isEmpty(value)) return false;
    before = place;
  }
  return true;
}

/** Go leaves empty texts, lists and maps out of metadata. */
function isEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value === "" || value === null;
  if (isJsonList(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

const typeFirst: readonly string[] = ["kind", "apiVersion", "metadata"];

/** The object in the order in which the server writes it: its type first, and custom resources by the names of their keys. */
export function inServerOrder(object: JsonObject, isCustom: boolean): JsonObject {
  if (!isCustom && beginsWith(object, typeFirst)) return object;
  const { kind = "", apiVersion = "", metadata, ...rest } = object;
  const meta = isJsonObject(metadata) ? metadata : nothing;
  if (!isCustom) return { kind, apiVersion, metadata: meta, ...rest };
  const { managedFields } = meta;
  const ordered = isJsonList(managedFields) ? { ...meta, managedFields: managedFields.map(byKey) } : meta;
  return byKey({ apiVersion, kind, metadata: byKey(ordered), ...rest });
}

function beginsWith(object: JsonObject, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in object) {
    if (at === keys.length) return true;
    if (key !== keys[at]) return false;
    at += 1;
  }
  return at === keys.length;
}

/** The same value when its keys are in order already. */
function byKey<T extends Json>(value: T): T | JsonObject {
  if (!isJsonObject(value)) return value;
  let before = "";
  for (const key in value) {
    if (key < before) return Object.fromEntries(Object.entries<Json>(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    before = key;
  }
  return value;
}
