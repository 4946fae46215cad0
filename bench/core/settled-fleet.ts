// A large fleet for which an object has nothing to do, as the operator's snapshot shows it: what a few nodes on paper have settled to,
// many times over, with a pod on every node.

import type { Snapshot, StoredObject } from "../../src/core/decision/snapshot.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { createFactsParser, type NodeFacts } from "../../src/core/node/node-facts.ts";
import type { DaemonPod } from "../../src/core/pod/daemon-pod.ts";
import type { Workload } from "../../src/core/rollout/workload.ts";
import type { PaperCluster } from "../../src/kinds/forecast/paper-cluster.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { objectAt } from "../../src/kinds/schema/json-parts.ts";
import { fleet } from "./fleet.ts";

export type SettledFleet = {
  readonly kind: Kind;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  /** The Node objects as the API server sends them. */
  readonly nodeObjects: readonly JsonObject[];
  /** The same nodes in a new list, as a cache gives after an event that concerns none of them. */
  readonly withNewList: () => Snapshot;
  /** The same fleet with one node that has rebooted into another kernel: a new list in which one entry is new. */
  readonly withReboot: (turn: number) => Snapshot;
  readonly nowMs: number;
};

/** What the few nodes have settled to. */
export type Pattern = {
  readonly kind: Kind;
  readonly stored: StoredObject;
  readonly cluster: PaperCluster;
  readonly nowMs: number;
  /** Whether a node's pod is one of this DaemonSet's. */
  isBound(node: NodeFacts, set: Workload): boolean;
};

export type FleetNodes = {
  readonly count: number;
  /** The node at a place as the pattern has it. */
  nodeAt(place: number): JsonObject;
  /** The first node after a reboot: its labels are as before. */
  readonly rebooted: readonly JsonObject[];
};

/** Makes the fleet. */
export function settledFleet(pattern: Pattern, { count, nodeAt, rebooted }: FleetNodes): SettledFleet {
  const { kind, nowMs, cluster } = pattern;
  const parse = createFactsParser();
  const nodeObjects = Array.from({ length: count }, (_, place) => asLarge(nodeAt(place), place));
  const nodes = nodeObjects.map(parse).sort((a, b) => (a.name < b.name ? -1 : 1));
  const base = snapshotOf(cluster, pattern, nodes);
  const snapshot = { ...base, nodes };
  const after = rebooted.map((node) => parse(asLarge(node, 0)));
  return {
    ...{ kind, nowMs, nodeObjects, snapshot, stored: withStatusAbout(snapshot, pattern) },
    withNewList: () => ({ ...base, nodes: nodes.slice() }),
    withReboot: (turn) => {
      // As the operator's list is made: copied in one go, then changed in one place.
      const changed = nodes.slice();
      changed[0] = after[turn % after.length] ?? parse({});
      return { ...base, nodes: changed };
    },
  };
}

function snapshotOf(cluster: PaperCluster, { stored, isBound }: Pattern, nodes: readonly NodeFacts[]) {
  const sets = cluster.workloadsOf(stored.uid);
  const pods = new Map(sets.map((set) => [set.uid, podsOf(set, cluster, (node) => isBound(node, set), nodes)]));
  const revisions = new Map(sets.map(({ uid }) => [uid, cluster.ownedBy(uid, "ControllerRevision")]));
  return {
    ...{ factsSinceMs: () => 0, aloneSinceMs: () => 0 },
    ...{ workloadsOf: () => sets, workloadsLabelled: () => [], workloadNamed: () => undefined },
    podsOf: (uid: string) => pods.get(uid) ?? [],
    ownedBy: (uid: string) => revisions.get(uid) ?? [],
    ...{ objectNamed: () => undefined, strayPods: () => [], strays: () => [], tasks: () => [] },
    configText: () => ({ is: "withheld" }) as const,
    image: () => ({ is: "present", digest: "", askedMs: 0 }) as const,
    isTerminating: () => false,
  };
}

/** The object with the status that it would have stored about the large fleet; throws where there is anything else to do. */
function withStatusAbout(snapshot: Snapshot, { kind, stored, nowMs }: Pattern): StoredObject {
  const { steps } = kind.observe(snapshot, stored).decide(nowMs).plan;
  const [step] = steps;
  if (step === undefined) return stored;
  if (steps.length > 1 || step.do !== "status") throw new Error(`the fleet is not settled: ${steps.length} steps`);
  return { ...stored, object: { ...stored.object, status: step.status } };
}

/** As large as a real Node: the images that a kubelet lists are most of it. */
function asLarge(small: JsonObject, place: number): JsonObject {
  const large = fleet[place % fleet.length] ?? {};
  const joined = (key: string) => ({ ...objectAt(large, key), ...objectAt(small, key) });
  return { ...large, ...small, metadata: joined("metadata"), status: joined("status") };
}

function podsOf(
  { uid }: Workload,
  cluster: PaperCluster,
  isBound: (node: NodeFacts) => boolean,
  nodes: readonly NodeFacts[],
): readonly DaemonPod[] {
  const [pattern] = cluster.podsOf(uid);
  if (pattern === undefined) throw new Error("the few nodes have not settled");
  return nodes
    .filter(isBound)
    .map(({ name }) => ({ ...pattern, name: `pod-on-${name}`, uid: `pod-${name}`, node: name }));
}
