// The operator itself in the simulator: two replicas that share a lease look after one toy on five machines, beside the model
// controllers and kubelets, while everything goes wrong.
//
// Beside this file:
//   small-operator-scenario, webhook-scenario    the smallest cluster, and the webhooks
//   toy-kind, toy-picture, toy-world             a small kind, and the cluster that it lives in
//   careless-operators, careless-clients         operators with one mistake each
//   odd-limits, deaf-transport, ledger-on-paper  odd limits, silent watches, a ledger moved by hand

import type { OperatorLimits } from "../../../src/controllers/loop/create-operator.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { expandFleet } from "../../fleets/expand-fleet.ts";
import { readFleet } from "../../fleets/read-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import type { State } from "../../simulator/commit.ts";
import {
  deletes,
  edits,
  goneForAWhile,
  liesInStatus,
  type Prey,
  stripsFinalizers,
  stripsLabels,
} from "../../simulator/faults/object-faults.ts";
import {
  budgetSpent,
  cordons,
  evictions,
  labelFlips,
  quotaSpent,
  taints,
} from "../../simulator/faults/place-faults.ts";
import { containersAil, podFails, podStatusLies } from "../../simulator/faults/pod-faults.ts";
import { registryFaults } from "../../simulator/faults/registry-faults.ts";
import {
  act,
  certificateExpires,
  compaction,
  crashLoops,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
  runsTwice,
  swizzles,
  wallJumps,
} from "../../simulator/faults/world-faults.ts";
import { hostFaults } from "../../simulator/host.ts";
import { atMostOne, controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { nodeFaults, nodeJoins } from "../../simulator/native/node-faults.ts";
import { linkFaults, lossyWatches, refusalFaults } from "../../simulator/network/link.ts";
import { WeatheredRegistry } from "../../simulator/network/weathered-registry.ts";
import type { Ports } from "../../simulator/ports.ts";
import { orderFaults } from "../../simulator/processor.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import { lease, operating } from "./careless-operators.ts";
import { drawLimits, oddLimits } from "./odd-limits.ts";
import { aToy, GROUP, IMAGE, toyDefinition, toys, WANTED } from "./toy-kind.ts";
import { daemonSets, definitions, namespaces, pods } from "./toy-picture.ts";

const TABLE = `toys.${GROUP}`;
/** Not the default one: nobody can delete that. */
const NAMESPACE = "playroom";
const KEY = `${NAMESPACE}/a`;
const roles = ["operator", "other-operator"];
/** What says that nodes and leaders live, and tells what happened. */
const noise = new Set([LEASES, "events", "nodes"]);

const playroom = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
const firstToy = aToy("a", "v1", NAMESPACE);
const theToy: Prey = { resource: toys, table: TABLE };
const itsWorkload: Prey = { resource: daemonSets, table: "daemonsets.apps" };
const itsPods: Prey = {
  ...{ resource: pods, table: "pods" },
  isMeant: (pod) => textAt(objectAt(metaOf(pod), "labels"), IMAGE) !== "",
};
const makeToy = (client: Client) => client.create(toys, firstToy);

/** What people do to the toy and its children. */
const meddling: readonly WorldFault[] = [
  ...[itsWorkload, itsPods].flatMap((prey) => [deletes(prey), stripsLabels(prey)]),
  stripsFinalizers(itsWorkload),
  liesInStatus(theToy, [{ ready: 2 }, { conditions: [] }]),
  liesInStatus(itsWorkload, [{ desiredNumberScheduled: 0, numberAvailable: 0 }]),
  edits("goes-back-to", theToy, [{ spec: { image: "v1" } }]),
  goneForAWhile({ name: "toy-gone", rate: 0.02, resource: toys, table: TABLE, object: firstToy }),
  goneForAWhile({
    ...{ name: "namespace-gone", rate: 0.01, resource: namespaces, table: "namespaces", object: playroom },
    refill: makeToy,
  }),
  goneForAWhile({
    ...{ name: "definition-gone", rate: 0.01, resource: definitions, object: toyDefinition },
    ...{ table: "customresourcedefinitions.apiextensions.k8s.io", refill: makeToy },
  }),
];

/** What befalls the places where it lives. */
const places: readonly WorldFault[] = [
  labelFlips(WANTED, ["no", null], "yes"),
  ...[taints, cordons, quotaSpent(NAMESPACE), budgetSpent(NAMESPACE), evictions, podFails, podStatusLies],
];

/** Faults of machines beside those that the scenario has. */
type OfMachines = (nodesOf: () => Nodes | undefined) => readonly WorldFault[];

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function operatorScenario(start: Operate = operate, further: OfMachines = () => []): Scenario {
  const fleet = expandFleet(readFleet("small-5")).map((machine) => ({
    ...machine,
    labels: { ...machine.labels, [WANTED]: "yes" },
  }));
  const kernels = [...new Set(fleet.map(({ kernel }) => kernel))];
  let nodes: Nodes | undefined;
  let registry: WeatheredRegistry | undefined;
  return {
    name: "operator",
    about: "two replicas of the operator look after a toy on five simulated kubelets",
    // What a watch has lost is found within ten minutes, by the next list.
    ...{ faultsMs: 60_000, settleMs: 900_000, quietMs: 60_000 },
    faults: [
      ...roles.flatMap((role) => [
        ...linkFaults(role, 1, { crashes: true }),
        ...[...refusalFaults(role, 1), ...lossyWatches(role, 1), ...hostFaults(role), ...oddLimits(role)],
      ]),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...[...replicaFaults, ...orderFaults],
    ],
    // The kubelets' clocks stay right: a pod that is ready since tomorrow is not available today, and nobody can help that.
    worldFaults: [
      ...roles.flatMap((role) =>
        [cutOff, dies, hangs, crashLoops, runsTwice, swizzles, wallJumps, certificateExpires].map((fault) =>
          fault(role),
        ),
      ),
      ...["controllers", "nodes"].map(dies),
      ...[
        ...nodeFaults(() => nodes, kernels),
        nodeJoins(() => nodes),
        containersAil(() => nodes),
        ...registryFaults(() => registry),
      ],
      ...[compaction, podMonkey, otherWriter(toys, TABLE), newImage, ...meddling, ...places],
      ...further(() => nodes),
    ],
    // The toy's own pods: those of its DaemonSet are made by a controller that does not promise it.
    invariants: () => [atMostOne("Toy"), observedGenerationRises],
    requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)],
    isNoise: ({ table }) => noise.has(table),
    unsettled: (state) => unsettled(state, fleet.length),
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, toyDefinition);
      await user.create(namespaces, playroom);
      await makeToy(user);
      world.host("controllers", (ports) => void startControllers(ports));
      registry = new WeatheredRegistry(world.clock);
      const { pull } = registry;
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet, registry: pull });
      });
      for (const role of roles) world.host(role, (ports) => start(ports, drawLimits(world, role)));
    },
  };
}

/** Starts a replica with the limits that its life has drawn; one with a mistake may have limits of its own. */
export type Operate = (ports: Ports, limits: Partial<OperatorLimits>) => void;

const operate: Operate = (ports, limits) => void operating(ports, { limits });

const newImage: WorldFault = {
  ...{ name: "new-image", rate: 0.04 },
  strike: (world) => {
    // Named by the instant: the same in a history in which other things go wrong.
    const image = `v${Math.round(world.clock.monotonicMs())}`;
    act(world, world.client("user").patch(toys, KEY, { type: "merge", body: { spec: { image } } }));
    return image;
  },
};

/** Every node has one pod of the newest image, there are no others, and the status says so. */
function unsettled(state: State, nodeCount: number): string | undefined {
  const toy = state.object(TABLE, KEY) ?? {};
  const image = textAt(objectAt(toy, "spec"), "image");
  const status = objectAt(toy, "status");
  const { observedGeneration, ready } = status;
  if (observedGeneration !== numberAt(metaOf(toy), "generation")) return "the newest image has not been seen";
  if (ready !== nodeCount) return `the status says that ${ready} of ${nodeCount} are ready`;
  const workload = state.object("daemonsets.apps", KEY) ?? {};
  if (textAt(objectAt(metaOf(workload), "labels"), IMAGE) !== image) return "the workload has not the newest image";
  const pods = [...state.objects("pods")].filter((pod) => controllerOf(metaOf(pod)) === metaOf(toy).uid);
  const current = pods.filter((pod) => textAt(objectAt(metaOf(pod), "labels"), IMAGE) === image);
  const places = new Set(current.map((pod) => textAt(objectAt(pod, "spec"), "nodeName")));
  const isOneEach = pods.length === nodeCount && places.size === nodeCount;
  return isOneEach ? undefined : `there are ${pods.length} pods, of which ${places.size} nodes have the newest image`;
}
