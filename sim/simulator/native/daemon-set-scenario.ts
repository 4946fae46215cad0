// Kubernetes' own DaemonSet on five machines with two kernels: the model controllers and kubelets under every fault. Two pods on
// a node are allowed here, since the native controller does not promise otherwise; it must settle and be quiet.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { expandFleet } from "../../fleets/expand-fleet.ts";
import { readFleet } from "../../fleets/read-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import type { Commit, State } from "../commit.ts";
import { act, compaction, cutOff, dies, hangs, podMonkey, wallJumps } from "../faults/world-faults.ts";
import { hostFaults } from "../host.ts";
import { observedGenerationRises } from "../invariants/observed-generation.ts";
import { linkFaults } from "../network/link.ts";
import { orderFaults } from "../processor.ts";
import { replicaFaults } from "../replicas.ts";
import type { Scenario, WorldFault } from "../scenario.ts";
import { nodeFaults } from "./node-faults.ts";

const daemonSets: Resource<KubeObject & { readonly spec: unknown }> = {
  ...{ group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true },
};
const TABLE = "daemonsets.apps";
const KEY = "default/driver";
/** What says that nodes live, and tells what happened. */
const noise = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io", "nodes"]);

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function daemonSetScenario(): Scenario {
  const fleet = expandFleet(readFleet("small-5"));
  const kernels = [...new Set(fleet.map(({ kernel }) => kernel))];
  let nodes: Nodes | undefined;
  return {
    name: "native-daemon-set",
    about: "the model of Kubernetes' DaemonSet controller on five simulated kubelets",
    ...{ faultsMs: 60_000, settleMs: 600_000, quietMs: 60_000 },
    faults: [
      ...linkFaults("controllers", 1, { crashes: true }),
      ...linkFaults("nodes", 0.3, { crashes: false }),
      ...[...hostFaults("controllers"), ...hostFaults("nodes"), ...replicaFaults, ...orderFaults],
    ],
    worldFaults: [
      ...["controllers", "nodes"].flatMap((role) => [cutOff, dies, hangs, wallJumps].map((fault) => fault(role))),
      ...nodeFaults(() => nodes, kernels),
      ...[compaction, podMonkey, newTemplate],
    ],
    invariants: () => [observedGenerationRises],
    requestRules: [],
    isNoise: ({ table }: Commit) => noise.has(table),
    unsettled: (state) => unsettled(state, fleet.length),
    setUp: async (world) => {
      await world.client("user").create(daemonSets, aDaemonSet());
      world.host("controllers", (ports) => void startControllers(ports));
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet });
      });
    },
  };
}

function aDaemonSet() {
  const labels = { app: "driver" };
  const containers = [{ name: "main", image: "driver:1" }];
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "driver", namespace: "default" } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

const newTemplate: WorldFault = {
  ...{ name: "new-template", rate: 0.04 },
  strike: (world) => {
    const image = `driver:${world.server.revision()}`;
    const spec = { template: { spec: { containers: [{ name: "main", image }] } } };
    act(world, world.client("user").patch(daemonSets, KEY, { type: "strategic", body: { spec } }));
    return image;
  },
};

/** Every node has a ready pod of the newest template, the status says so, and there are no other pods. */
function unsettled(state: State, nodeCount: number): string | undefined {
  const set = state.object(TABLE, KEY) ?? {};
  const status = objectAt(set, "status");
  const isSeen = numberAt(status, "observedGeneration") === numberAt(metaOf(set), "generation");
  if (!isSeen) return "the newest template has not been seen";
  for (const count of ["desiredNumberScheduled", "updatedNumberScheduled", "numberAvailable"]) {
    const number = numberAt(status, count) ?? 0;
    if (number !== nodeCount) return `${count} is ${number}, not ${nodeCount}`;
  }
  const places = [...state.objects("pods")].map(placeOf);
  const isOneEach = places.length === nodeCount && new Set(places).size === nodeCount;
  return isOneEach ? undefined : `there are ${places.length} pods on ${new Set(places).size} nodes`;
}

function placeOf(pod: JsonObject): string {
  return textAt(objectAt(pod, "spec"), "nodeName");
}
