// Server-side apply: a manager says which fields it wants and how; the object gets them, loses what the manager no longer asks
// for, and others keep theirs unless they are forced. Mirrors FieldManager.Apply.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { compareUtf8 } from "../../../src/core/json/utf8-order.ts";
import { metaOf } from "../api-object.ts";
import { isSameJson } from "../same-json.ts";
import { differenceWithBelow, type FieldSet, isEmptySet, isSubset, noFields, union } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { withoutGivenUp } from "./give-up.ts";
import { mergeConfiguration } from "./merge-configuration.ts";
import type { OwnedKind } from "./owned-kind.ts";
import { managedFieldsOf, type Owner, type Owners, ownerId, storedOwners } from "./owners.ts";
import { ownable, settleOwners } from "./settle-owners.ts";
import { withUpdate } from "./track-update.ts";
import { faultsText, typeFaults } from "./type-faults.ts";

export type Application = {
  /** The object as it is; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly now: string;
};

export type Applied =
  /** Nulls stand where maps and lists lost their content; built-in kinds read them as nothing, custom ones keep them. */
  | { readonly outcome: "applied"; readonly object: JsonObject; readonly managedFields: readonly Json[] | undefined }
  /** What others own of the fields that it would change. */
  | { readonly outcome: "conflicts"; readonly conflicts: readonly Owner[] }
  /** The applied or the live object does not fit the schema. */
  | { readonly outcome: "unfit"; readonly object: "patch" | "live"; readonly because: string };

/** What becomes of an object by an applied configuration. */
export function applyConfiguration(kind: OwnedKind, application: Application): Applied {
  const { live = kind.nothing, applied } = application;
  const faults = typeFaults(kind.type, applied, { allowsDuplicates: false });
  if (faults.length > 0) return { outcome: "unfit", object: "patch", because: faultsText(faults) };
  const liveFaults = typeFaults(kind.type, live, { allowsDuplicates: true });
  if (liveFaults.length > 0) return { outcome: "unfit", object: "live", because: faultsText(liveFaults) };
  return merge(kind, { ...application, live }, ownersBefore(kind, live, application));
}

/** An object that nobody was known to own belongs to whoever was there before the first apply. */
function ownersBefore(kind: OwnedKind, live: JsonObject, { subresource, now }: Application): Owners {
  const owners = storedOwners(metaOf(live).managedFields, kind.group);
  if (owners.size > 0) return owners;
  const update = { before: kind.nothing, after: live, manager: "before-first-apply", subresource, now };
  return withUpdate(kind, owners, update);
}

function merge(kind: OwnedKind, application: Application & { readonly live: JsonObject }, owners: Owners): Applied {
  const { live, applied, manager, force, subresource, now } = application;
  const wanted = differenceWithBelow(fieldSetOf(kind.type, applied), kind.resetFields(subresource, kind.apiVersion));
  const identity = { manager, operation: "Apply", apiVersion: kind.apiVersion, subresource } as const;
  const id = ownerId(identity);
  const last = owners.get(id);
  const merged = mergeConfiguration(kind.type, live, applied);
  const givesUp = last !== undefined && !isSubset(last.fields, wanted);
  const object = givesUp
    ? withoutGivenUp(kind.type, merged, {
        last: last.fields,
        owned: ownedPerVersion(owners, last, { ...identity, fields: wanted }),
      })
    : merged;
  const settled = settleOwners(kind, owners, {
    before: live,
    after: object,
    subresource,
    writer: id,
    operation: "Apply",
  });
  if (!force && settled.taken.size > 0) return { outcome: "conflicts", conflicts: inOrderOfId(settled.taken) };
  const isSame = isSameJson(live, object);
  const fields = ownable(wanted);
  const left = new Map(settled.owners);
  left.delete(id);
  if (!isEmptySet(fields)) {
    const kept = last !== undefined && !givesUp && isSubset(fields, last.fields) ? last.fields : fields;
    // The time is that of the last change, so an apply that changes nothing leaves it, or has none.
    left.set(id, { ...last, ...identity, fields: kept, time: isSame ? last?.time : now });
  }
  const managedFields = managedFieldsOf(left, metaOf(live).managedFields);
  return { outcome: "applied", object: isSame ? live : object, managedFields };
}

/** What is owned in each version, that of the last apply first. */
function ownedPerVersion(
  owners: Owners,
  last: Owner,
  wanted: Pick<Owner, "apiVersion" | "fields">,
): readonly FieldSet[] {
  const others = [...owners.values()].filter((owner) => owner !== last);
  const versions = new Map<string, FieldSet>([[last.apiVersion, noFields]]);
  for (const { apiVersion, fields } of [...others, wanted])
    versions.set(apiVersion, union(versions.get(apiVersion) ?? noFields, fields));
  return [...versions.values()].filter((fields) => !isEmptySet(fields));
}

function inOrderOfId(taken: Owners): readonly Owner[] {
  return [...taken].sort(([a], [b]) => compareUtf8(a, b)).map(([, owner]) => owner);
}
