// The toy in a small cluster: three nodes that come and go, one set whose revision changes, everything else going wrong.
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { State } from "../commit.ts";
import { slowMsOf } from "../faults/faults.ts";
import {
  act,
  anyKey,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
  runsTwice,
  wallJumps,
} from "../faults/world-faults.ts";
import { hostFaults } from "../host.ts";
import { atMostOne, controllerOf } from "../invariants/at-most-one.ts";
import { deletesCarryUid } from "../invariants/deletes-carry-uid.ts";
import { LEASES, onlyHolderSends } from "../invariants/only-holder-sends.ts";
import { linkFaults } from "../network/link.ts";
import { isReadyPod, startPlainMachines } from "../plain-machines.ts";
import type { Start } from "../ports.ts";
import { orderFaults } from "../processor.ts";
import { replicaFaults } from "../replicas.ts";
import type { Scenario, WorldFault } from "../scenario.ts";
import { type Naming, namings } from "./naming.ts";
import { ledToyController, toyController } from "./toy-controller.ts";
import { LEASE_NAME, NAMESPACE, nodes, REVISION, SET_NAME, sets } from "./toy-view.ts";

const NODES = 3;
const setKey = `${NAMESPACE}/${SET_NAME}`;

/** One scenario per naming. */
export function toyScenarios(): readonly Scenario[] {
  return namings.map((naming) => toyScenario(naming));
}

/** Two replicas of the design that holds; they agree by a lease on who of them writes. */
export function ledToyScenario(naming: Naming, operator: Start = ledToyController(naming)): Scenario {
  const alone = toyScenario(naming, operator);
  const other = "other-operator";
  const roles = ["operator", other];
  return {
    ...alone,
    name: "toy-led",
    about: "a pod per node: two replicas, of which the holder of a lease writes",
    faults: [...alone.faults, ...linkFaults(other, 1, { crashes: true }), ...hostFaults(other)],
    worldFaults: [...alone.worldFaults, ...[cutOff, dies, hangs, wallJumps].map((fault) => fault(other))],
    requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${NAMESPACE}/${LEASE_NAME}`)],
    isNoise: ({ table }) => table === LEASES,
    setUp: async (world) => {
      await alone.setUp(world);
      world.host(other, operator);
    },
  };
}

/** The same in a sixth of the time: what a search finds per second of a processor hardly depends on that, and short histories have short tapes. */
export function shortToyScenario(naming: Naming): Scenario {
  return { ...toyScenario(naming), name: "toy-short", faultsMs: 10_000 };
}

/** The scenario with one naming; a test may bring a controller with a fault of its own. */
export function toyScenario(naming: Naming, operator: Start = toyController(naming)): Scenario {
  return {
    name: `toy-${naming.name}`,
    about: `a pod per node: ${naming.about}`,
    ...{ faultsMs: 60_000, settleMs: 400_000, quietMs: 30_000 },
    faults: [
      ...linkFaults("operator", 1, { crashes: true }),
      ...linkFaults("kubelets", 0.3, { crashes: false }),
      ...hostFaults("operator"),
      ...[...replicaFaults, ...orderFaults],
    ],
    worldFaults: [
      ...[cutOff, dies, hangs, runsTwice, wallJumps].map((fault) => fault("operator")),
      ...[compaction, podMonkey, otherWriter(sets, "configmaps"), nodeMadeAnew, newRevision],
    ],
    invariants: () => [atMostOne()],
    requestRules: naming.checksUid ? [deletesCarryUid("operator")] : [],
    isNoise: () => false,
    unsettled,
    setUp: async (world) => {
      const user = world.client("user");
      for (let at = 0; at < NODES; at++) await user.create(nodes, aNode(`node-${at}`));
      await user.create(sets, {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: SET_NAME, namespace: NAMESPACE } },
        data: { revision: "1" },
      });
      world.host("kubelets", (ports) => startPlainMachines(ports, world));
      world.host("operator", operator);
    },
  };
}

function aNode(name: string) {
  return { apiVersion: "v1", kind: "Node", metadata: { name } };
}

/** A node is deleted and comes back under the same name, soon or late. */
const nodeMadeAnew: WorldFault = {
  ...{ name: "node-made-anew", rate: 0.08 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const user = world.client("user");
    const afterMs = slowMsOf(fault);
    act(world, user.remove(nodes, key));
    world.clock.after(afterMs, () => act(world, user.create(nodes, aNode(key))));
    return `${key} after ${afterMs} ms`;
  },
};

const newRevision: WorldFault = {
  ...{ name: "new-revision", rate: 0.06 },
  strike: (world) => {
    const set = world.state.object("configmaps", setKey) ?? {};
    const revision = String(Number(textAt(objectAt(set, "data"), "revision")) + 1);
    act(world, world.client("user").patch(sets, setKey, { type: "merge", body: { data: { revision } } }));
    return revision;
  },
};

/** Every node has one pod of the newest revision, ready, and there are no others. */
function unsettled(state: State): string | undefined {
  const set = state.object("configmaps", setKey) ?? {};
  const revision = textAt(objectAt(set, "data"), "revision");
  const uid = textAt(metaOf(set), "uid");
  const pods = [...state.objects("pods")];
  const names = [...state.objects("nodes")].map((node) => textAt(metaOf(node), "name"));
  if (names.length !== NODES) return `${names.length} of ${NODES} nodes are there`;
  for (const name of names) {
    const there = pods.filter((pod) => textAt(objectAt(pod, "spec"), "nodeName") === name);
    const [pod] = there;
    if (pod === undefined || there.length > 1) return `${name} has ${there.length} pods`;
    const is = { revision: textAt(objectAt(metaOf(pod), "labels"), REVISION), owner: controllerOf(metaOf(pod)) };
    if (is.revision !== revision || is.owner !== uid) return `${name} has revision ${is.revision}, not ${revision}`;
    if (!isReadyPod(pod)) return `the pod on ${name} is not ready`;
  }
  return pods.length === NODES ? undefined : `there are ${pods.length} pods for ${NODES} nodes`;
}
