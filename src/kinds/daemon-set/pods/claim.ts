// Claiming: which pods and revisions are a set's own. What bears the set's UID and matches its selector is; what matches and has no
// controller is adopted; what bears the UID and matches no more is let go. UIDs decide, never the version in an owner reference:
// an older Kruise wrote another one.
//
// Guarantees: nothing is adopted for a set that has changed or gone since it was seen. The garbage collector would take
// an object whose owner is not there, so a proof that the set is as it was stands before every adoption.
// Assumes: strays are objects of the set's namespace that nobody controls.

import type { ObjectIdentity } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { type ObjectRef, type PatchStep, stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { type LabelSelector, matchLabels } from "../../../core/labels/label-selector.ts";
import { eachChange } from "../../../core/rollout/list-changes.ts";
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
  /** Whether the selector matches all of what is owned, for who knows it cheaper than by asking for each. */
  readonly matchesAll?: (owned: readonly T[]) => boolean;
};

export type Claimed<T extends ObjectIdentity> = {
  /** What decisions count as the set's, with what is being adopted. */
  readonly mine: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
  /** What bears the set's UID and is not its own any more, whether it is let go or leaves by itself. */
  readonly disowned: readonly T[];
  /** Adoptions wait for `proofOfSet`, which must be in the plan when there are any. */
  readonly steps: readonly PatchStep[];
};

/** Says what is the set's own, and what has to be written for that. */
export function claim<T extends ObjectIdentity>(input: ClaimInput<T>): Claimed<T> {
  const { set, selector, owned, strays, matchesAll } = input;
  // A set that is being deleted keeps what it has: the garbage collector needs the owner references.
  if (set.isLeaving) return { mine: owned, adopted: [], released: [], disowned: [], steps: [] };
  const isOurs = ({ labels }: T) => matchLabels(selector, labels);
  // Nearly always all are; then nothing is copied.
  const areAllOurs = matchesAll === undefined ? owned.every(isOurs) : matchesAll(owned);
  const kept = areAllOurs ? owned : owned.filter(isOurs);
  const disowned = areAllOurs ? [] : owned.filter((object) => !isOurs(object));
  const released = disowned.filter(({ isLeaving }) => !isLeaving);
  const adopted = strays.filter((object) => isOurs(object) && !object.isLeaving).slice(0, ADOPTIONS_MAX);
  const steps = [
    ...released.map((object) => releaseStep(input, object)),
    ...adopted.map((object) => adoptStep(input, object)),
  ];
  return { mine: adopted.length === 0 ? kept : [...kept, ...adopted], adopted, released, disowned, steps };
}

/** Returns a test whether a selector matches all of a list, which looks only at what is new since the last list that it did match. */
export function createMatchesAll<T extends ObjectIdentity>(selector: LabelSelector): (owned: readonly T[]) => boolean {
  let matched: readonly T[] = [];
  return (owned) => {
    let isAll = true;
    eachChange(matched, owned, (_, now) => {
      if (now !== undefined && !matchLabels(selector, now.labels)) isAll = false;
    });
    if (isAll) matched = owned;
    return isAll;
  };
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
