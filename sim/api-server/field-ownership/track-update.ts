// Creates, replacements and patches: the writer comes to own what it changed, and others lose it. Mirrors FieldManager.Update.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, textAt } from "../api-object.ts";
import { isSameJson } from "../same-json.ts";
import { type FieldSet, isEmptySet, noFields, union } from "./field-set.ts";
import type { OwnedKind } from "./owned-kind.ts";
import {
  entryOf,
  isStoredSet,
  managedFieldsOf,
  type Owner,
  type Owners,
  ownerId,
  sentOwners,
  storedOwners,
  withFewUpdaters,
} from "./owners.ts";
import { ownable, settleOwners } from "./settle-owners.ts";
import { newFaults, typeFaults } from "./type-faults.ts";

export type TrackedUpdate = {
  /** The object before the write; undefined when the write creates it. */
  readonly live: JsonObject | undefined;
  /** The object as it will be, defaults included, with the managed fields that the client sent. */
  readonly next: JsonObject;
  readonly manager: string;
  readonly subresource: string;
  readonly now: string;
};

/** The managed fields of an object after a write that is no apply; undefined where it has none. */
export function trackUpdate(kind: OwnedKind, update: TrackedUpdate): readonly Json[] | undefined {
  const { live, next, manager, subresource, now } = update;
  const isPlainCreate = live === undefined && subresource === "" && metaOf(next).managedFields === undefined;
  if (!isPlainCreate) return trackAnyUpdate(kind, update);
  const known = kind.shapes.fieldsOf(next);
  if (known !== undefined) return [entryOf(writerOf(kind, { manager, subresource, now }, known))];
  const managedFields = trackAnyUpdate(kind, update);
  const [entry] = managedFields ?? [];
  if (isJsonObject(entry) && isStoredSet(entry.fieldsV1)) kind.shapes.keep(next, entry.fieldsV1);
  return managedFields;
}

function trackAnyUpdate(kind: OwnedKind, update: TrackedUpdate): readonly Json[] | undefined {
  const { live, next, subresource } = update;
  const stored = live === undefined ? undefined : metaOf(live).managedFields;
  const sent = metaOf(next).managedFields;
  const owners = currentOwners(kind, stored, subresource === "" ? sent : undefined);
  // Who took the managed fields away wants no more of them.
  if (owners.size === 0 && live !== undefined && textAt(metaOf(live), "uid") !== "") return undefined;
  const before = live ?? kind.nothing;
  // What is tracked has fitted before; only where it was not, the whole of it is looked at.
  const isTracked = live === undefined || stored !== undefined;
  const options = { allowsDuplicates: true };
  if (!isTracked && typeFaults(kind.type, before, options).length > 0) return undefined;
  if (newFaults(kind.type, next, before, options).length > 0) return undefined;
  return managedFieldsOf(withUpdate(kind, owners, { ...update, before, after: next }), stored);
}

/** A client may edit managed fields; what it does not know, or cannot write, stays as it is. */
function currentOwners({ group, isCustom }: OwnedKind, stored: Json | undefined, sent: Json | undefined): Owners {
  if (!isJsonList(sent) || isSameJson(sent, stored)) return storedOwners(stored, group);
  // Reading a custom resource leaves nothing of an empty list.
  const isReset = sent.length === 0 ? !isCustom : sent.length === 1 && isEmptyEntry(sent[0]);
  if (isReset) return new Map();
  const edited = sentOwners(sent, group);
  return edited === undefined || edited.size === 0 ? storedOwners(stored, group) : edited;
}

function isEmptyEntry(entry: Json | undefined): boolean {
  return isJsonObject(entry) && Object.keys(entry).length === 0;
}

type UpdateStep = Omit<TrackedUpdate, "live" | "next"> & { readonly before: JsonObject; readonly after: JsonObject };

/** The owners after an update. */
export function withUpdate(kind: OwnedKind, owners: Owners, update: UpdateStep): Owners {
  const { before, after, subresource } = update;
  const identity = writerOf(kind, update, noFields);
  const id = ownerId(identity);
  const settled = settleOwners(kind, owners, { before, after, subresource, writer: id, operation: "Update" });
  const written = ownable(settled.written);
  if (isEmptySet(written)) return withFewUpdaters(settled.owners);
  const previous = settled.owners.get(id);
  const fields = previous === undefined ? written : union(previous.fields, written);
  return withFewUpdaters(new Map(settled.owners).set(id, { ...previous, ...identity, fields }));
}

type Writer = Pick<TrackedUpdate, "manager" | "subresource" | "now">;

function writerOf({ apiVersion }: OwnedKind, { manager, subresource, now }: Writer, fields: FieldSet): Owner {
  const identity = { manager: manager === "" ? "unknown" : manager, operation: "Update", apiVersion } as const;
  return { ...identity, subresource, time: now, fields };
}
