// The views of a set's nodes, kept from look to look: a node that has not changed, beside pods that have not changed, is the same
// value. A look pays for what changed since the last one and, for the rest, for one comparison of references.
//
// Guarantees: it says what a look from nothing would say. If anything throws on the way, all is forgotten and looked at anew.

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { createPodIndex, type PodIndex, type PodsByNode } from "../../../core/pod/pods-by-node.ts";
import { placeOf } from "../../../core/rollout/place-of.ts";
import { type NodeView, sortPods } from "../pods/node-pods.ts";
import type { StandingRule } from "../pods/standing.ts";
import type { Resolver } from "../resolve.ts";
import { isDesired, restOf } from "./rest.ts";

export type NodeViews = {
  /** Nodes that should run a pod, by name. */
  readonly desired: readonly NodeView[];
  /** Other nodes that have one, or that should once they are Ready again, by name. */
  readonly others: readonly NodeView[];
  /** Pods of which the node is not there. */
  readonly adrift: readonly DaemonPod[];
};

export type FleetSight = {
  /** By name. */
  readonly nodes: readonly NodeFacts[];
  /** The pods of the set. */
  readonly pods: readonly DaemonPod[];
  readonly rule: StandingRule;
  /** All that the rule says, as a text: what another one said is forgotten. */
  readonly revisions: string;
};

type State = {
  readonly revisions: string;
  readonly index: PodIndex;
  readonly nodes: readonly NodeFacts[];
  /** By the place of the node in the list; undefined for one that has no pod and should have none. */
  readonly views: readonly (NodeView | undefined)[];
  /** Names of nodes that have pods and are not there. */
  readonly missing: ReadonlySet<string>;
  readonly told: NodeViews;
};

type Look = (node: NodeFacts) => NodeView | undefined;

const NOTHING: NodeViews = Object.freeze({ desired: [], others: [], adrift: [] });

/** Returns a keeper of views, to be told of the fleet at each look. What it returns stays as it is. */
export function createNodeViews(place: Resolver["place"], minReadySeconds: number): (sight: FleetSight) => NodeViews {
  let last: State | undefined;
  return ({ nodes, pods, rule, revisions }) => {
    const known = last?.revisions === revisions ? last : emptyState(revisions);
    last = undefined;
    const { byNode, touched } = known.index.follow([{ key: "", pods }]);
    const look = createLook(place, byNode, { rule, minReadySeconds });
    last = broughtTo(nodes, known, { byNode, touched, look });
    return last.told;
  };
}

function emptyState(revisions: string): State {
  return { revisions, index: createPodIndex(), nodes: [], views: [], missing: new Set(), told: NOTHING };
}

function createLook(
  place: Resolver["place"],
  byNode: PodsByNode,
  { rule, minReadySeconds }: { readonly rule: StandingRule; readonly minReadySeconds: number },
): Look {
  return (node) => {
    const placement = place(node);
    const there = byNode.get(node.name);
    if (there === undefined && !isDesired(node, placement) && !placement.isNodeLost) return undefined;
    const pods = there?.map(({ pod }) => pod);
    const view = { node, placement, ...sortPods(pods, placement, rule) };
    return { ...view, rest: restOf(view, minReadySeconds) };
  };
}

type Changes = { readonly byNode: PodsByNode; readonly touched: ReadonlySet<string>; readonly look: Look };

function broughtTo(nodes: readonly NodeFacts[], known: State, { byNode, touched, look }: Changes): State {
  const areSame = nodes === known.nodes;
  if (areSame && touched.size === 0) return known;
  const views = areSame ? known.views.slice() : carriedOver(known, nodes, look);
  for (const name of touched) {
    const at = placeOf(name, nodes);
    const node = nodes[at];
    if (node?.name === name) views[at] = look(node);
  }
  const suspects = areSame ? [...known.missing, ...touched] : [...byNode.keys()];
  const missing = new Set(suspects.filter((name) => byNode.has(name) && nodes[placeOf(name, nodes)]?.name !== name));
  return { ...known, nodes, views, missing, told: sorted(views, podsOn(missing, byNode)) };
}

/** The views for another list: whoever is in it as the very same value keeps its own. Both are in the order of names. */
function carriedOver({ nodes: before, views }: State, nodes: readonly NodeFacts[], look: Look) {
  let old = 0;
  return nodes.map((node) => {
    while (old < before.length && before[old] !== node && (before[old]?.name ?? "") < node.name) old += 1;
    return before[old] === node ? views[old] : look(node);
  });
}

function sorted(views: readonly (NodeView | undefined)[], adrift: readonly DaemonPod[]): NodeViews {
  const desired: NodeView[] = [];
  const others: NodeView[] = [];
  for (const view of views) {
    if (view !== undefined) (isDesired(view.node, view.placement) ? desired : others).push(view);
  }
  return { desired, others, adrift };
}

function podsOn(names: ReadonlySet<string>, byNode: PodsByNode): readonly DaemonPod[] {
  return [...names].sort().flatMap((name) => (byNode.get(name) ?? []).map(({ pod }) => pod));
}
