// Claiming: which pods and revisions are a set's own. What bears the set's UID and matches its selector is; what matches and has no
// controller is adopted; what bears the UID and matches no more is let go. UIDs decide, never the version in an owner reference:
// an older Kruise wrote another one.
//
// Guarantees: nothing is adopted for a set that has changed or gone since it was seen. The garbage collector would take
// an object whose owner is not there, so a proof that the set is as it was stands before every adoption.
// Assumes: strays are objects of the set's namespace that nobody controls.
import type { JsonObject } from "../../core/json.ts";
import { type LabelSelector, matchLabels } from "../../core/label-selector.ts";
import type { ObjectIdentity } from "../../core/object-identity.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import { type ObjectRef, type PatchStep, stepId } from "../../core/step.ts";
import { ownerReference } from "./pod-body.ts";

const API_VERSION = "apps.kruise.io/v1beta1";
const KIND = "DaemonSet";

/** So many are adopted in one look: a selector that suddenly matches a whole namespace does not flood the server. */
export const ADOPTIONS_MAX = 250;

export type ClaimInput<T extends ObjectIdentity> = {
  readonly set: StoredObject;
  readonly selector: LabelSelector;
  /** The kind of what is claimed. */
  readonly type: { readonly apiVersion: string; readonly kind: string };
  /** What bears the set's UID as its controller. */
  readonly owned: readonly T[];
  readonly strays: readonly T[];
};

export type Claimed<T extends ObjectIdentity> = {
  /** What decisions count as the set's, with what is being adopted. */
  readonly mine: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
  /** Adoptions wait for `proofOfSet`, which must be in the plan when there are any. */
  readonly steps: readonly PatchStep[];
};

/** Says what is the set's own, and what has to be written for that. */
export function claim<T extends ObjectIdentity>(input: ClaimInput<T>): Claimed<T> {
  const { set, selector, owned, strays } = input;
  // A set that is being deleted keeps what it has: the garbage collector needs the owner references.
  if (set.isLeaving) return { mine: owned, adopted: [], released: [], steps: [] };
  const isOurs = ({ labels }: T) => matchLabels(selector, labels);
  // Nearly always all are; then nothing is copied.
  const areAllOurs = owned.every(isOurs);
  const kept = areAllOurs ? owned : owned.filter(isOurs);
  const released = areAllOurs ? [] : owned.filter((object) => !isOurs(object) && !object.isLeaving);
  const adopted = strays.filter((object) => isOurs(object) && !object.isLeaving).slice(0, ADOPTIONS_MAX);
  const steps = [
    ...released.map((object) => releaseStep(input, object)),
    ...adopted.map((object) => adoptStep(input, object)),
  ];
  return { mine: adopted.length === 0 ? kept : [...kept, ...adopted], adopted, released, steps };
}

/**
 * A patch that changes nothing, and that the server refuses unless the set is exactly as it was seen. It goes to the status: we may not
 * write the rest of a set, and the version alone is proof enough, since no two objects ever have the same.
 */
export function proofOfSet(set: StoredObject): PatchStep {
  const { resourceVersion } = set;
  return {
    ...{ do: "patch", target: setRef(set), subresource: "status", patchType: "merge" },
    patch: { metadata: { resourceVersion } },
    why: `${set.name} must be there, and unchanged, to adopt what has no controller`,
  };
}

/** The set as steps name it. */
export function setRef({ namespace, name }: ObjectIdentity): ObjectRef {
  return { apiVersion: API_VERSION, kind: KIND, namespace, name };
}

function adoptStep<T extends ObjectIdentity>({ set, type }: ClaimInput<T>, object: T): PatchStep {
  return {
    ...ownersPatch(type, object, ownerReference(set.name, set.uid)),
    why: `${object.name} matches the selector of ${set.name} and has no controller`,
    after: [stepId(proofOfSet(set))],
  };
}

function releaseStep<T extends ObjectIdentity>({ set, type }: ClaimInput<T>, object: T): PatchStep {
  return {
    ...ownersPatch(type, object, { $patch: "delete", uid: set.uid }),
    why: `${object.name} does not match the selector of ${set.name} any more`,
  };
}

/** The UID in the patch makes the server refuse it when the name has passed to another object. */
function ownersPatch(type: ClaimInput<never>["type"], object: ObjectIdentity, owner: JsonObject) {
  const { namespace, name, uid } = object;
  return {
    do: "patch" as const,
    target: { ...type, namespace, name },
    patchType: "strategic" as const,
    patch: { metadata: { uid, ownerReferences: [owner] } },
  };
}
