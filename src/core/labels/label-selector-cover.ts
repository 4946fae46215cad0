// What label selectors say of each other without any label at hand: that one can never hold, or that one holds wherever another does.
// Used for warnings about rules that never get a node.
import { type Requirement, requirementText } from "./label-requirement.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Names the conditions of one key that can never hold together; undefined where there are labels that meet all. */
export function findContradiction(...selectors: readonly LabelSelector[]): string | undefined {
  const all = selectors.flatMap((selector) => (selector.kind === "nothing" ? [] : selector.requirements));
  for (const requirements of Map.groupBy(all, ({ key }) => key).values()) {
    if (isContradictory(requirements)) return requirements.map(requirementText).join(" and ");
  }
  return undefined;
}

/** True only if labels that meet `later` always meet `earlier`; false also where it cannot tell. */
export function selectorCovers(earlier: LabelSelector, later: LabelSelector): boolean {
  if (earlier.kind === "nothing") return false;
  if (earlier.requirements.length === 0) return true;
  if (later.kind === "nothing") return false;
  const given = later.requirements;
  return earlier.requirements.every((wanted) => given.some((one) => one.key === wanted.key && implies(one, wanted)));
}

function isContradictory(requirements: readonly Requirement[]): boolean {
  const isAbsent = requirements.some(({ op }) => op === "DoesNotExist");
  const needsValue = requirements.some(({ op }) => op !== "DoesNotExist" && op !== "NotIn" && op !== "NotEqual");
  if (isAbsent && needsValue) return true;
  const lists = requirements.map(allowedBy).filter((values) => values !== undefined);
  const [first, ...others] = lists;
  if (first === undefined) return false;
  const refused = requirements.flatMap(refusedBy);
  return !first.some((value) => others.every((list) => list.includes(value)) && !refused.includes(value));
}

/** Every label that meets the one meets the other; both are about one key. */
function implies(one: Requirement, other: Requirement): boolean {
  const allowed = allowedBy(one);
  const wanted = allowedBy(other);
  if (wanted !== undefined) return allowed?.every((value) => wanted.includes(value)) === true;
  switch (other.op) {
    case "Exists":
      return one.op !== "DoesNotExist" && one.op !== "NotIn" && one.op !== "NotEqual";
    case "DoesNotExist":
      return one.op === "DoesNotExist";
    case "NotIn":
    case "NotEqual": {
      const refused = refusedBy(other);
      if (one.op === "DoesNotExist") return true;
      if (allowed !== undefined) return refused.every((value) => !allowed.includes(value));
      return refused.every((value) => refusedBy(one).includes(value));
    }
    default:
      return requirementText(one) === requirementText(other);
  }
}

/** The values that a label may have; undefined where they are not listed. */
function allowedBy(requirement: Requirement): readonly string[] | undefined {
  switch (requirement.op) {
    case "Equal":
    case "DoubleEqual":
      return [requirement.value];
    case "In":
      return requirement.values;
    default:
      return undefined;
  }
}

function refusedBy(requirement: Requirement): readonly string[] {
  switch (requirement.op) {
    case "NotEqual":
      return [requirement.value];
    case "NotIn":
      return requirement.values;
    default:
      return [];
  }
}
