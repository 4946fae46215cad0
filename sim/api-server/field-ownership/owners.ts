// Who owns which fields of an object: the entries of its managed fields, by the identity that the real server gives them. An
// applier is one whatever version it uses; an updater counts once per version.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { textAt } from "../api-object.ts";
import { type FieldSet, noFields, union } from "./field-set.ts";
import { elementJson, readFieldSet } from "./path-element.ts";

/** Updaters beyond this number are merged, the oldest first. */
const UPDATERS_MAX = 10;

export type Operation = "Apply" | "Update";

export type Owner = {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** Empty for writes of the object itself. */
  readonly subresource: string;
  /** Absent for an applier that never changed anything. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry it was read from, used again while nothing changes. */
  readonly entry?: JsonObject;
};

export type Owners = ReadonlyMap<string, Owner>;

/** The identity of an owner, in the form in which the real server sorts them. */
export function ownerId({ manager, operation, apiVersion, subresource }: Omit<Owner, "fields" | "time">): string {
  const by = manager === "" ? "" : `"manager":${elementJson(manager)},`;
  const version = operation === "Apply" ? "" : `,"apiVersion":${elementJson(apiVersion)}`;
  const through = subresource === "" ? "" : `,"subresource":${elementJson(subresource)}`;
  return `{${by}"operation":"${operation}"${version}${through}}`;
}

/** The owners that an object lists, as this server stored them; those of other groups cannot be read and leave. */
export function storedOwners(entries: Json | undefined, group: string): Owners {
  return ownersOf(entries, group, (fields) => (isStoredSet(fields) ? fields : undefined)) ?? new Map();
}

/** The owners that a client lists; undefined if that is no such list. */
export function sentOwners(entries: Json | undefined, group: string): Owners | undefined {
  return ownersOf(entries, group, readFieldSet);
}

/** What the server stored has passed readFieldSet, or was made here. */
export function isStoredSet(fields: Json | undefined): fields is FieldSet {
  return isJsonObject(fields);
}

function ownersOf(
  entries: Json | undefined,
  group: string,
  read: (fields: Json) => FieldSet | undefined,
): Owners | undefined {
  const owners = new Map<string, Owner>();
  for (const entry of isJsonList(entries) ? entries : []) {
    if (!isJsonObject(entry)) return undefined;
    const { operation, time, fieldsV1 } = entry;
    const apiVersion = textAt(entry, "apiVersion");
    const fields = fieldsV1 === undefined || fieldsV1 === null ? noFields : read(fieldsV1);
    if ((operation !== "Apply" && operation !== "Update") || entry.fieldsType !== "FieldsV1") return undefined;
    if (apiVersion === "" || fields === undefined) return undefined;
    const owner: Owner = {
      ...{ manager: textAt(entry, "manager"), operation, apiVersion, subresource: textAt(entry, "subresource") },
      ...{ time: typeof time === "string" ? time : undefined, fields, entry },
    };
    if (groupOf(apiVersion) === group) owners.set(ownerId(owner), owner);
  }
  return owners;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The managed fields of an object, in the order of the real server; undefined where nobody owns anything. */
export function managedFieldsOf(owners: Owners, stored: Json | undefined): readonly Json[] | undefined {
  if (owners.size === 0) return undefined;
  const entries = [...owners.values()].sort(compareOwners).map(entryOf);
  const isSame =
    isJsonList(stored) && stored.length === entries.length && entries.every((entry, at) => entry === stored[at]);
  return isSame ? stored : entries;
}

/** The entry of an owner in the managed fields of an object. */
export function entryOf({ manager, operation, apiVersion, subresource, time, fields, entry }: Owner): JsonObject {
  if (entry !== undefined && entry.fieldsV1 === fields && entry.time === time && entry.apiVersion === apiVersion)
    return entry;
  return {
    ...(manager === "" ? {} : { manager }),
    ...{ operation, apiVersion },
    ...(time === undefined ? {} : { time }),
    ...{ fieldsType: "FieldsV1", fieldsV1: fields },
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The owners with the oldest updaters of each version merged into one while there are too many of them. */
export function withFewUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, { operation }]) => operation === "Update");
  let count = updaters.length;
  if (count <= UPDATERS_MAX) return owners;
  updaters.sort(([a, left], [b, right]) => compareText(left.time ?? "", right.time ?? "") || compareText(a, b));
  const rest = new Map(owners);
  const firstOf = new Map<string, string>();
  for (const [id, owner] of updaters) {
    if (count <= UPDATERS_MAX) break;
    const { apiVersion, time } = owner;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const ancient: Owner = {
      manager: "ancient-changes",
      operation: "Update",
      apiVersion,
      subresource: "",
      time,
      fields: noFields,
    };
    const ancientId = ownerId(ancient);
    const merged = rest.get(ancientId) ?? rest.get(first);
    if (!rest.has(ancientId)) rest.delete(first);
    rest.set(ancientId, { ...ancient, fields: union(owner.fields, merged?.fields ?? noFields) });
    rest.delete(id);
    count -= 1;
  }
  return rest;
}
