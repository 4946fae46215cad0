// Writes through the scale subresource: the replicas change hands, and are owned under `subresource: scale` from then on. The
// real server does this with a Scale of its own kind, whose version is part of an updater's identity; that is why an updater of
// the object never counts as the one who wrote the scale, and why the new entry has no time. Mirrors ScaleHandler.
import type { Json } from "../../../src/core/json/json.ts";
import { difference, type FieldSet, intersection, isEmptySet, leaf } from "./field-set.ts";
import type { OwnedKind } from "./owned-kind.ts";
import { managedFieldsOf, type Owner, ownerId, storedOwners } from "./owners.ts";

const scaleVersion = "autoscaling/v1";

export type ScaleWrite = {
  readonly managedFields: Json | undefined;
  /** Where the object keeps its replicas: `.spec.replicas`. */
  readonly replicasPath: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly manager: string;
};

/** The managed fields of an object after a write of its scale. */
export function trackScale(kind: OwnedKind, write: ScaleWrite): readonly Json[] | undefined {
  const replicas = pathSet(write.replicasPath);
  const owners = storedOwners(write.managedFields, kind.group);
  const scaleOwners = new Map<string, Owner>();
  for (const owner of owners.values()) {
    const seen: Owner = { ...owner, apiVersion: scaleVersion };
    if (ownsAll(owner, replicas)) scaleOwners.set(ownerId(seen), seen);
  }
  if (write.before !== write.after && scaleOwners.size > 0) {
    const identity = { manager: write.manager, operation: "Update", subresource: "scale" } as const;
    const writer: Owner = { ...identity, apiVersion: scaleVersion, time: undefined, fields: replicas };
    scaleOwners.clear();
    // A Scale leaves a zero out, so that nobody owns it.
    if (write.after !== 0) scaleOwners.set(ownerId(writer), writer);
  }
  const left = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const isKept = !ownsAll(owner, replicas) || scaleOwners.delete(id);
    const fields = isKept ? owner.fields : difference(owner.fields, replicas);
    if (!isEmptySet(fields)) left.set(id, { ...owner, fields });
  }
  for (const [id, { manager, operation, subresource }] of scaleOwners)
    left.set(id, { manager, operation, subresource, apiVersion: kind.apiVersion, time: undefined, fields: replicas });
  return managedFieldsOf(left, write.managedFields);
}

function ownsAll({ fields }: Owner, path: FieldSet): boolean {
  return !isEmptySet(intersection(fields, path));
}

function pathSet(path: string): FieldSet {
  const names = path.split(".").filter((name) => name !== "");
  return names.reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), leaf);
}
