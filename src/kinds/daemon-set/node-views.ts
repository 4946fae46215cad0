// The views of a set's nodes, kept from look to look: a node that has not changed, beside pods that have not changed, is the same value.
import type { DaemonPod } from "../../core/daemon-pod.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import { type NodeView, sortPods } from "./node-pods.ts";
import type { Placement } from "./resolve.ts";
import type { StandingRule } from "./standing.ts";

export type NodeViews = {
  /** The view of a node; the pods are all of the set that are there. */
  view(node: NodeFacts, placement: Placement, pods: readonly DaemonPod[] | undefined): NodeView;
};

type Kept = { readonly view: NodeView; readonly pods: readonly DaemonPod[] };

const NO_PODS: readonly DaemonPod[] = Object.freeze([]);

/** Returns a keeper of views, to be asked for the rule of each look; what a rule with other revisions said is forgotten. */
export function createNodeViews(): (rule: StandingRule, revisions: string, nodes: number) => NodeViews {
  let kept = new Map<string, Kept>();
  let keptFor = "";
  return (rule, revisions, nodes) => {
    // Nodes come and go; those that are gone must not stay here for ever.
    if (revisions !== keptFor || kept.size > 2 * nodes) kept = new Map();
    keptFor = revisions;
    const remembered = kept;
    return {
      view(node, placement, pods = NO_PODS) {
        const known = remembered.get(node.name);
        if (known !== undefined && known.view.node === node && isSameList(known.pods, pods)) return known.view;
        const view = { node, placement, ...sortPods(pods, placement, rule) };
        remembered.set(node.name, { view, pods });
        return view;
      },
    };
  };
}

function isSameList(a: readonly DaemonPod[], b: readonly DaemonPod[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
