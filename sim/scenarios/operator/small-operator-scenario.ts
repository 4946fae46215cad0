// The operator in the smallest cluster that is worth a history: one replica, one toy, five plain machines with two kernels, and no
// model controllers: nobody collects garbage, so nothing is deleted with what it owns. What it leaves out, operator-scenario.ts has;
// what it gives is thousands of seeds in minutes.

import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { State } from "../../simulator/commit.ts";
import { slowMsOf } from "../../simulator/faults/faults.ts";
import { edits, liesInStatus, type Prey, stripsLabels } from "../../simulator/faults/object-faults.ts";
import { labelFlips } from "../../simulator/faults/place-faults.ts";
import { podFails } from "../../simulator/faults/pod-faults.ts";
import {
  act,
  anyKey,
  certificateExpires,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
  wallJumps,
} from "../../simulator/faults/world-faults.ts";
import { hostFaults } from "../../simulator/host.ts";
import { atMostOne, controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { linkFaults, refusalFaults } from "../../simulator/network/link.ts";
import { isReadyPod, startPlainMachines } from "../../simulator/plain-machines.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import { aToy, GROUP, IMAGE, toyDefinition, toyKind, toys, WANTED } from "./toy-kind.ts";
import { daemonSets, definitions, nodes, pods } from "./toy-picture.ts";

const NODES = 5;
const kernels = ["6.8.0-45-generic", "6.8.0-31-generic"] as const;
const TABLE = `toys.${GROUP}`;
const KEY = "default/a";
const theToy: Prey = { resource: toys, table: TABLE };
const itsWorkload: Prey = { resource: daemonSets, table: "daemonsets.apps" };
const itsPods: Prey = { resource: pods, table: "pods" };
/** One replica needs it too: what a cut network has held up may arrive when the same process has decided otherwise. */
const lease = { namespace: "default", name: "toymaker" };
/** What says that a leader lives, and tells what happened. */
const noise = new Set([LEASES, "events"]);

/** The scenario. */
export function smallOperatorScenario(): Scenario {
  return {
    name: "operator-small",
    about: "one replica of the operator looks after a toy on five plain machines",
    ...{ faultsMs: 60_000, settleMs: 400_000, quietMs: 30_000 },
    faults: [
      ...linkFaults("operator", 1, { crashes: true }),
      ...refusalFaults("operator", 1),
      ...linkFaults("machines", 0.3, { crashes: false }),
      ...hostFaults("operator"),
      ...replicaFaults,
    ],
    worldFaults: [
      ...[cutOff, dies, hangs, wallJumps, certificateExpires].map((fault) => fault("operator")),
      ...[compaction, podMonkey, podFails, otherWriter(toys, TABLE), newImage, rebootsIntoAnother, madeAnew],
      ...[labelFlips(WANTED, ["no", null], "yes"), stripsLabels(itsWorkload), stripsLabels(itsPods)],
      liesInStatus(theToy, [{ ready: 2 }, { conditions: [] }]),
      edits("goes-back-to", theToy, [{ spec: { image: "v1" } }]),
    ],
    invariants: () => [atMostOne("Toy"), observedGenerationRises],
    requestRules: [deletesCarryUid("operator"), onlyHolderSends(["operator"], `${lease.namespace}/${lease.name}`)],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, toyDefinition);
      await user.create(toys, aToy("a", "v1"));
      for (let at = 0; at < NODES; at++) await user.create(nodes, aNode(`node-${at}`, kernels[at % 2] ?? ""));
      world.host("machines", (ports) => startPlainMachines(ports, world));
      world.host("operator", (ports) => {
        void createOperator(ports, { kinds: [toyKind], program: "toymaker", lease }).run(new AbortController().signal);
      });
    },
  };
}

function aNode(name: string, kernelVersion: string) {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { [WANTED]: "yes" } } },
    status: {
      nodeInfo: { kernelVersion, osImage: "Ubuntu 24.04.1 LTS", architecture: "amd64" },
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

const newImage: WorldFault = {
  ...{ name: "new-image", rate: 0.04 },
  strike: (world) => {
    const image = `v${world.server.revision()}`;
    act(world, world.client("user").patch(toys, KEY, { type: "merge", body: { spec: { image } } }));
    return image;
  },
};

const rebootsIntoAnother: WorldFault = {
  ...{ name: "node-reboots", rate: 0.04 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const kernelVersion = kernels[fault.pick(kernels.length)] ?? "";
    const body = { status: { nodeInfo: { kernelVersion } } };
    act(world, world.client("kubelet").patch(nodes, key, { type: "merge", body }, { subresource: "status" }));
    return `${key} into ${kernelVersion}`;
  },
};

/** A node is deleted and comes back under the same name, soon or late. */
const madeAnew: WorldFault = {
  ...{ name: "node-made-anew", rate: 0.03 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const afterMs = slowMsOf(fault);
    const user = world.client("user");
    act(world, user.remove(nodes, key));
    world.clock.after(afterMs, () => act(world, user.create(nodes, aNode(key, kernels[0]))));
    return `${key} after ${afterMs} ms`;
  },
};

/** Every node has one ready pod of the newest image, there are no others, and the status says so. */
function unsettled(state: State): string | undefined {
  const toy = state.object(TABLE, KEY) ?? {};
  const image = textAt(objectAt(toy, "spec"), "image");
  const { observedGeneration, ready } = objectAt(toy, "status");
  if (observedGeneration !== numberAt(metaOf(toy), "generation")) return "the newest image has not been seen";
  if (ready !== NODES) return `the status says that ${ready} of ${NODES} are ready`;
  const workload = state.object("daemonsets.apps", KEY) ?? {};
  if (textAt(objectAt(metaOf(workload), "labels"), IMAGE) !== image) return "the workload has not the newest image";
  const there = [...state.objects("pods")].filter((pod) => controllerOf(metaOf(pod)) === metaOf(toy).uid);
  const current = there.filter((pod) => isReadyPod(pod) && textAt(objectAt(metaOf(pod), "labels"), IMAGE) === image);
  const places = new Set(current.map((pod) => textAt(objectAt(pod, "spec"), "nodeName")));
  const isOneEach = there.length === NODES && places.size === NODES;
  return isOneEach ? undefined : `there are ${there.length} pods, of which ${places.size} nodes have the newest image`;
}
