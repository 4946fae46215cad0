// Four ways to name the pods of a set, one per node: the designs that the simulator must be able to tell apart, from the one
// that everybody writes first to the one that holds.
import type { PodView, ToyNode, ToySet } from "./toy-view.ts";

export type Naming = {
  readonly name: string;
  readonly about: string;
  /** Undefined lets the server make one up. */
  readonly podName: (set: ToySet, node: ToyNode) => string | undefined;
  /** What a pod is counted under, on both sides. */
  readonly placeOfNode: (node: ToyNode) => string;
  readonly placeOfPod: (pod: PodView) => string;
  /** Remembers its own creates until the cache shows them or a time is over. */
  readonly expects: boolean;
  /** Deletes name the UID. */
  readonly checksUid: boolean;
};

const byName = {
  placeOfNode: ({ name }: ToyNode) => name,
  placeOfPod: ({ nodeName }: PodView) => nodeName,
};

export const namings: readonly Naming[] = [
  {
    ...byName,
    ...{ name: "generated", expects: false, checksUid: false },
    about: "generated names, the cache decides",
    podName: () => undefined,
  },
  {
    ...byName,
    ...{ name: "expected", expects: true, checksUid: true },
    about: "generated names, own creates remembered, UIDs checked",
    podName: () => undefined,
  },
  {
    ...{ name: "by-node-uid", expects: false, checksUid: true },
    about: "names from the set and the node's UID, UIDs checked",
    podName: (set, node) => `${set.name}-${node.uid}`,
    placeOfNode: ({ uid }) => uid,
    placeOfPod: ({ nodeUid }) => nodeUid,
  },
  {
    ...byName,
    ...{ name: "by-node-name", expects: false, checksUid: true },
    about: "names from the set and the node's name, UIDs checked",
    podName: (set, node) => `${set.name}-${node.name}`,
  },
];
