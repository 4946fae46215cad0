// Creates, replacements and patches: the writer comes to own what it changed, and others lose it. Mirrors FieldManager.Update.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json.ts";
import { metaOf, textAt } from "../api-object.ts";
import { isSameJson } from "../same-json.ts";
import { isEmptySet, union } from "./field-set.ts";
import type { OwnedKind } from "./owned-kind.ts";
import {
  managedFieldsOf,
  type Owner,
  type Owners,
  ownerId,
  sentOwners,
  storedOwners,
  withFewUpdaters,
} from "./owners.ts";
import { ownable, settleOwners } from "./settle-owners.ts";
import { typeFaults } from "./type-faults.ts";

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
  const { live, next, subresource } = update;
  const stored = live === undefined ? undefined : metaOf(live).managedFields;
  const sent = metaOf(next).managedFields;
  const owners = currentOwners(kind, stored, subresource === "" ? sent : undefined);
  // Who took the managed fields away wants no more of them.
  if (owners.size === 0 && live !== undefined && textAt(metaOf(live), "uid") !== "") return undefined;
  const before = live ?? kind.nothing;
  const fits = [before, next].every((object) => typeFaults(kind.type, object, { allowsDuplicates: true }).length === 0);
  if (!fits) return undefined;
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
  const { before, after, manager, subresource, now } = update;
  const settled = settleOwners(kind, owners, { before, after, subresource, writer: undefined });
  const written = ownable(settled.written);
  if (isEmptySet(written)) return withFewUpdaters(settled.owners);
  const writer: Owner = {
    ...{ manager: manager === "" ? "unknown" : manager, operation: "Update", apiVersion: kind.apiVersion, subresource },
    ...{ time: now, fields: written },
  };
  const id = ownerId(writer);
  const previous = settled.owners.get(id)?.fields;
  const fields = previous === undefined ? written : union(previous, written);
  return withFewUpdaters(new Map(settled.owners).set(id, { ...writer, fields }));
}
