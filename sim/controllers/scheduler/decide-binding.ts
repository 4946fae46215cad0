// Where a pod may run: nodes that its node selector, its required node affinity and its tolerations allow, and of these the one
// with the fewest pods. Resources, pod affinity and topology spread are not looked at: simulated nodes never run full.
import type { JsonObject } from "../../../src/core/json/json.ts";
import {
  compileNodeAffinity,
  matchNodeAffinity,
  type NodeAffinity,
} from "../../../src/core/scheduling/node-affinity.ts";
import {
  findUntoleratedTaint,
  parseTolerations,
  type Taint,
  type Toleration,
  toleratesTaint,
} from "../../../src/core/scheduling/taints.ts";
import type { NodeView } from "../node-view.ts";

export type Binding =
  | { readonly isFound: true; readonly nodeName: string }
  | { readonly isFound: false; readonly because: string };

export type Fleet = {
  readonly nodes: Iterable<NodeView>;
  readonly size: number;
  /** Pods on a node, with those that were bound there a moment ago. */
  readonly load: (nodeName: string) => number;
};

const blocking = ["NoSchedule", "NoExecute"];
const UNSCHEDULABLE: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };

/** Chooses a node, or says as the real scheduler does why there is none. */
export function decideBinding(placement: JsonObject, { nodes, size, load }: Fleet): Binding {
  if (size === 0) return { isFound: false, because: "no nodes available to schedule pods" };
  const affinity = compileNodeAffinity(placement);
  const tolerations = parseTolerations(placement.tolerations, { comparisonOperators: false });
  const misses = new Map<string, number>();
  let best: { readonly name: string; readonly load: number } | undefined;
  let seen = 0;
  for (const node of nodes) {
    seen += 1;
    const miss = missOf(node, affinity, tolerations);
    if (miss === undefined) {
      const candidate = { name: node.name, load: load(node.name) };
      if (best === undefined || isBetter(candidate, best)) best = candidate;
    } else {
      misses.set(miss, (misses.get(miss) ?? 0) + 1);
    }
  }
  if (best !== undefined) return { isFound: true, nodeName: best.name };
  // A pod made for one node was not held against the others; they do not match it.
  if (size > seen) misses.set(NO_MATCH, (misses.get(NO_MATCH) ?? 0) + size - seen);
  const reasons = [...misses].map(([miss, count]) => `${count} ${miss}`).sort();
  return { isFound: false, because: `0/${size} nodes are available: ${reasons.join(", ")}.` };
}

const NO_MATCH = "node(s) didn't match Pod's node affinity/selector";

function missOf(node: NodeView, affinity: NodeAffinity, tolerations: readonly Toleration[]): string | undefined {
  if (node.isUnschedulable && !tolerations.some((each) => toleratesTaint(each, UNSCHEDULABLE)))
    return "node(s) were unschedulable";
  if (!matchNodeAffinity(affinity, node)) return NO_MATCH;
  const taint = findUntoleratedTaint(node.taints, tolerations, blocking);
  return taint === undefined ? undefined : `node(s) had untolerated taint {${taint.key}: ${taint.value}}`;
}

function isBetter(
  one: { readonly name: string; readonly load: number },
  other: { readonly name: string; readonly load: number },
): boolean {
  return one.load < other.load || (one.load === other.load && one.name < other.name);
}
