// The owners of an object after a write: whoever owned what the write changed or removed owns it no longer. An apply that is not
// forced must not do that to others; then the fields in question are conflicts.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type Changes, changesBetween } from "./changes-between.ts";
import {
  difference,
  differenceWithBelow,
  type FieldSet,
  intersection,
  isEmptySet,
  leaf,
  noFields,
} from "./field-set.ts";
import type { OwnedKind } from "./owned-kind.ts";
import type { Operation, Owner, Owners } from "./owners.ts";

/** Identity and type, which nobody owns. */
const unownable: FieldSet = {
  "f:apiVersion": leaf,
  "f:kind": leaf,
  "f:metadata": {
    ".": leaf,
    ...{ "f:name": leaf, "f:namespace": leaf, "f:creationTimestamp": leaf, "f:selfLink": leaf, "f:uid": leaf },
    ...{ "f:clusterName": leaf, "f:generation": leaf, "f:managedFields": leaf, "f:resourceVersion": leaf },
  },
};

/** The fields of a set that somebody can own. */
export function ownable(fields: FieldSet): FieldSet {
  return difference(fields, unownable);
}

export type OwnedChange = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly subresource: string;
  /** The one who writes. */
  readonly writer: string;
  /** An applier says itself what becomes of its own fields; an updater keeps what it had and others do not take. */
  readonly operation: Operation;
};

export type Settled = {
  readonly owners: Owners;
  /** What the write set, without what the server resets. */
  readonly written: FieldSet;
  /** What the write took from others, by their identity. */
  readonly taken: ReadonlyMap<string, Owner>;
};

/** The owners that are left after a write, and what it took from them. */
export function settleOwners(kind: OwnedKind, owners: Owners, change: OwnedChange): Settled {
  const all = changesBetween(kind.type, change.before, change.after);
  const own = withoutReset(kind, all, change.subresource, kind.apiVersion);
  const left = new Map<string, Owner>();
  const taken = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const isWriter = id === change.writer;
    if (isWriter && change.operation === "Apply") {
      left.set(id, owner);
      continue;
    }
    const { written, removed } =
      owner.apiVersion === kind.apiVersion ? own : withoutReset(kind, all, change.subresource, owner.apiVersion);
    const lost = isWriter ? noFields : intersection(owner.fields, written);
    if (!isEmptySet(lost)) taken.set(id, { ...owner, fields: lost });
    const fields = difference(difference(owner.fields, lost), removed);
    if (fields === owner.fields) left.set(id, owner);
    else if (!isEmptySet(fields)) left.set(id, { ...owner, fields });
  }
  return { owners: left, written: own.written, taken };
}

function withoutReset(
  kind: OwnedKind,
  { written, removed }: Changes,
  subresource: string,
  apiVersion: string,
): Changes {
  const reset = kind.resetFields(subresource, apiVersion);
  return { written: differenceWithBelow(written, reset), removed: differenceWithBelow(removed, reset) };
}
