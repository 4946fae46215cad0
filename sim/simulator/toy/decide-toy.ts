// What the toy controller does: one pod of the newest revision on every node. The four designs share this decision; they differ
// in names and in what they remember.
import type { Naming } from "./naming.ts";
import type { PodView, ToyNode, ToySet } from "./toy-view.ts";

export type ToyStep =
  | { readonly do: "create"; readonly node: ToyNode }
  | { readonly do: "remove"; readonly pod: PodView };

export type ToyPicture = {
  readonly set: ToySet;
  readonly nodes: readonly ToyNode[];
  readonly pods: readonly PodView[];
  /** Whether a create for this place is on its way. */
  readonly isExpected: (place: string) => boolean;
};

/** Creates first, as the native controller does: a node without its daemon is what hurts. */
export function decideToy({ set, nodes, pods, isExpected }: ToyPicture, naming: Naming): readonly ToyStep[] {
  const mine = pods.filter(({ setUid }) => setUid === set.uid);
  const byPlace = Map.groupBy(mine, naming.placeOfPod);
  const places = new Set(nodes.map(naming.placeOfNode));
  const creates = nodes
    .filter((node) => !byPlace.has(naming.placeOfNode(node)) && !isExpected(naming.placeOfNode(node)))
    .map((node) => ({ do: "create", node }) as const);
  const surplus = [...byPlace].flatMap(([place, there]) => {
    const [first, ...others] = there.filter(({ isEnding }) => !isEnding);
    if (first === undefined) return [];
    const isWanted = places.has(place) && first.revision === set.revision;
    return isWanted ? others : [first, ...others];
  });
  return [...creates, ...surplus.map((pod) => ({ do: "remove", pod }) as const)];
}
