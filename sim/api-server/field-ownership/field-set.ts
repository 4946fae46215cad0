// A set of fields, kept in the form in which objects carry it (FieldsV1): a tree of path elements (see path-element.ts), in their
// order. A branch that is empty or holds "." is a field of the set itself, its other keys lead to fields below. Mirrors the real
// server's fieldpath.Set; sets are immutable, and operations return the set they were given where nothing changes.
import { compareElements } from "./element-order.ts";

export type FieldSet = { readonly [element: string]: FieldSet };
/** A set in the course of being built. */
export type FieldSetDraft = { [element: string]: FieldSet };

/** The branch of a field below which the set holds nothing. */
export const leaf: FieldSet = Object.freeze({});
/** The set without fields: as a whole set, an empty tree has no member. */
export const noFields: FieldSet = leaf;

const SELF = ".";

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** True if the field to which the branch belongs is in the set. */
export function isMember(branch: FieldSet): boolean {
  return branch[SELF] !== undefined || isEmptySet(branch);
}

/** True if fields below the branch are in the set. */
export function hasFieldsBelow(branch: FieldSet): boolean {
  for (const element in branch) if (element !== SELF) return true;
  return false;
}

/** Begins a branch, to which the branches below are added. */
export function startBranch(isField: boolean): FieldSetDraft {
  return isField ? { [SELF]: leaf } : {};
}

/** The branch that was begun, its elements in order; undefined where it holds nothing. */
export function finishBranch(draft: FieldSetDraft): FieldSet | undefined {
  if (!hasFieldsBelow(draft)) return draft[SELF] === undefined ? undefined : leaf;
  let before = "";
  for (const element in draft) {
    if (before !== "" && compareElements(before, element) > 0) return inOrder(draft);
    before = element;
  }
  return draft;
}

function inOrder(draft: FieldSetDraft): FieldSet {
  const ordered: FieldSetDraft = {};
  for (const element of Object.keys(draft).sort(compareElements)) ordered[element] = draft[element] ?? leaf;
  return ordered;
}

/** The fields of either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  return isEmptySet(left) ? right : unionOfBranches(left, right);
}

function unionOfBranches(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const wasField = isMember(left);
  const isField = wasField || isMember(right);
  const below = startBranch(isField);
  let isNew = isField !== wasField;
  for (const element in left) {
    const branch = left[element];
    if (branch === undefined || element === SELF) continue;
    const other = right[element];
    below[element] = other === undefined ? branch : unionOfBranches(branch, other);
    isNew ||= below[element] !== branch;
  }
  for (const element in right) {
    const branch = right[element];
    if (branch === undefined || element === SELF || left[element] !== undefined) continue;
    below[element] = branch;
    isNew = true;
  }
  return isNew ? (finishBranch(below) ?? leaf) : left;
}

/** The fields of the first set that are not in the second; those below a field of the second stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return isEmptySet(left) || isEmptySet(right) ? left : (subtract(left, right, false) ?? noFields);
}

/** The fields of the first set that are neither in the second nor below a field of the second. */
export function differenceWithBelow(left: FieldSet, right: FieldSet): FieldSet {
  return isEmptySet(left) || isEmptySet(right) ? left : (subtract(left, right, true) ?? noFields);
}

function subtract(left: FieldSet, right: FieldSet, takesBelow: boolean): FieldSet | undefined {
  const isTaken = isMember(right);
  if (isTaken && takesBelow) return undefined;
  const wasField = isMember(left);
  const below = startBranch(wasField && !isTaken);
  let isNew = wasField && isTaken;
  for (const element in left) {
    const branch = left[element];
    if (branch === undefined || element === SELF) continue;
    const other = right[element];
    const rest = other === undefined ? branch : subtract(branch, other, takesBelow);
    isNew ||= rest !== branch;
    if (rest !== undefined) below[element] = rest;
  }
  return isNew ? finishBranch(below) : left;
}

/** The fields that are in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return isEmptySet(left) || isEmptySet(right) ? noFields : (shared(left, right) ?? noFields);
}

function shared(left: FieldSet, right: FieldSet): FieldSet | undefined {
  const below = startBranch(isMember(left) && isMember(right));
  for (const element in left) {
    const branch = left[element];
    const other = right[element];
    if (branch === undefined || other === undefined || element === SELF) continue;
    const both = shared(branch, other);
    if (both !== undefined) below[element] = both;
  }
  return finishBranch(below);
}

/** True if every field of the first set is in the second. */
export function isSubset(left: FieldSet, right: FieldSet): boolean {
  return isEmptySet(left) || (!isEmptySet(right) && holds(right, left));
}

function holds(all: FieldSet, some: FieldSet): boolean {
  if (all === some) return true;
  if (isMember(some) && !isMember(all)) return false;
  for (const element in some) {
    const branch = some[element];
    const other = all[element];
    if (branch === undefined || element === SELF) continue;
    if (other === undefined || !holds(other, branch)) return false;
  }
  return true;
}
