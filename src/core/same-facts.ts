// Whether a node is still the node that it was, as far as rules can tell: what a rollout waits to settle before it acts on it.
import { type Fact, isUnknown } from "./fact.ts";
import type { Labels } from "./label-requirement.ts";
import type { NodeFacts } from "./node-facts.ts";

/** Whether labels, kernel, operating system, architecture and runtime are the same; health and taints may differ. */
export function hasSameFacts(a: NodeFacts, b: NodeFacts): boolean {
  return (
    a.kernel.raw === b.kernel.raw &&
    a.os.raw === b.os.raw &&
    isSame(a.architecture, b.architecture) &&
    isSame(a.operatingSystem, b.operatingSystem) &&
    hasSameRuntime(a, b) &&
    hasSameLabels(a.labels, b.labels)
  );
}

function hasSameRuntime({ runtime: a }: NodeFacts, { runtime: b }: NodeFacts): boolean {
  if (isUnknown(a) || isUnknown(b)) return isSame(a, b);
  return a.name === b.name && a.version === b.version;
}

/** Two facts that are not known are the same: no rule can tell them apart. */
function isSame(a: Fact<unknown>, b: Fact<unknown>): boolean {
  return a === b || (isUnknown(a) && isUnknown(b));
}

function hasSameLabels(a: Labels, b: Labels): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
