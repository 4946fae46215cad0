// Whether a node is still the node that it was, as far as rules can tell: what a rollout waits to settle before it acts on it.
import { type Fact, isUnknown } from "../decision/fact.ts";
import type { NodeFacts } from "./node-facts.ts";

/** Whether kernel, operating system, architecture and runtime are the same; labels, health and taints may differ. */
export function hasSameSystem(a: NodeFacts, b: NodeFacts): boolean {
  return (
    a.kernel.raw === b.kernel.raw &&
    a.os.raw === b.os.raw &&
    isSame(a.architecture, b.architecture) &&
    isSame(a.operatingSystem, b.operatingSystem) &&
    hasSameRuntime(a, b)
  );
}

/** The keys of the labels that came, went or have another value. */
export function changedLabels({ labels: a }: NodeFacts, { labels: b }: NodeFacts): readonly string[] {
  if (a === b) return [];
  const gone = Object.keys(a).filter((key) => !Object.hasOwn(b, key));
  return [...gone, ...Object.keys(b).filter((key) => !Object.hasOwn(a, key) || a[key] !== b[key])];
}

function hasSameRuntime({ runtime: a }: NodeFacts, { runtime: b }: NodeFacts): boolean {
  if (isUnknown(a) || isUnknown(b)) return isSame(a, b);
  return a.name === b.name && a.version === b.version;
}

/** Two facts that are not known are the same: no rule can tell them apart. */
function isSame(a: Fact<unknown>, b: Fact<unknown>): boolean {
  return a === b || (isUnknown(a) && isUnknown(b));
}
