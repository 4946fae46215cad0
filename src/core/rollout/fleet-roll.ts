// The roll of a fleet on which workloads run: nodes with their pods, in the light of a picture of those workloads. Most nodes are at rest
// most of the time; a decision pays for those that are not, and for what changed since the last one.
import type { NodeFacts } from "../node/node-facts.ts";
import { createPodIndex, type PodGroup, type PodsByNode } from "../pod/pods-by-node.ts";
import { createNodeRoll, type Enrolled } from "./node-roll.ts";

export type FleetSight<Class> = {
  readonly nodes: readonly NodeFacts[];
  readonly groups: readonly PodGroup[];
  /** All that classes are told from besides a node and its pods; when it is another, every node is looked at. */
  readonly picture: string;
  /** The class of a node at rest; undefined for one that has to be looked at in every decision. */
  readonly classOf: (node: NodeFacts, pods: PodsByNode) => Class | undefined;
};

export type SeenFleet<Class> = Enrolled<Class> & { readonly podsByNode: PodsByNode };

/** Brings the roll up to date. What it returns holds until the next call. */
export type FollowFleet<Class> = (sight: FleetSight<Class>) => SeenFleet<Class>;

/** Makes an empty roll. */
export function createFleetRoll<Class extends object | string>(): FollowFleet<Class> {
  let last: ReturnType<typeof emptyRoll<Class>> | undefined;
  return ({ nodes, groups, picture, classOf }) => {
    const known = last?.picture === picture ? last : emptyRoll<Class>(picture);
    // Whatever throws on the way leaves nothing behind that is half up to date.
    last = undefined;
    const { byNode, touched } = known.pods.follow(groups);
    const { counts, open } = known.nodes.follow(nodes, { touched, classOf: (node) => classOf(node, byNode) });
    last = known;
    return { counts, open, podsByNode: byNode };
  };
}

function emptyRoll<Class extends object | string>(picture: string) {
  return { picture, pods: createPodIndex(), nodes: createNodeRoll<Class>() };
}
