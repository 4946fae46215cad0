// In whose name something is written: the object of ours that a plan is for. On shared objects such as nodes each of them owns its own
// fields, so that what one applies never takes away what another did.

import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { ObjectRef } from "../../core/decision/step.ts";
import { contentHash } from "../../core/hash/content-hash.ts";
import type { Kind, ObjectName } from "../../kinds/kind.ts";
import { apiVersionOf, type Key, namedKey, resourceName } from "../../kube/resource.ts";
import { resourceOfKind } from "../view/known-resources.ts";

export type Behalf = {
  readonly ref: ObjectRef;
  readonly key: Key;
  /** How logs and the ledger call it. */
  readonly text: string;
  /** Undefined when there is no such object any more. */
  readonly object: StoredObject | undefined;
  readonly fieldManager: string;
};

/** The API server takes no longer names of field managers. */
const FIELD_MANAGER_LENGTH_MAX = 128;

/** The object of this name and kind as one in whose name things are written; `program` begins the name of its field manager. */
export function onBehalfOf(
  kind: Kind,
  { namespace, name }: ObjectName,
  { object, program }: { readonly object: StoredObject | undefined; readonly program: string },
): Behalf {
  const resource = resourceName(resourceOfKind(kind));
  const apiVersion = apiVersionOf(kind);
  const ref = { apiVersion, kind: kind.kind, namespace, name };
  return {
    ...{ ref, key: namedKey(name, namespace), text: `${resource} ${namespace}/${name}`, object },
    fieldManager: fieldManagerOf(program, `${resource}/${namespace}/${name}`),
  };
}

/** By name and not by UID: an object that is made anew goes on with what its predecessor wrote. */
function fieldManagerOf(program: string, object: string): string {
  const plain = `${program}/${object}`;
  return plain.length <= FIELD_MANAGER_LENGTH_MAX ? plain : `${program}/${contentHash(object)}`;
}
