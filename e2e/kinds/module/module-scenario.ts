// Modules in the simulator: two replicas of the operator look after one Module on four nodes of three kernels, one of which no mapping
// matches, beside the model controllers, while images change, nodes reboot, leave the scope and come back, and everything goes wrong.
import { metaOf, numberAt, objectAt, textAt } from "../../../sim/api-server/api-object.ts";
import { startControllers } from "../../../sim/controllers/start-controllers.ts";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { type Nodes, startNodes } from "../../../sim/nodes/start-nodes.ts";
import type { State } from "../../../sim/simulator/commit.ts";
import { controllerOf } from "../../../sim/simulator/invariants/at-most-one.ts";
import { deletesCarryUid } from "../../../sim/simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../../sim/simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../../sim/simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../../sim/simulator/link.ts";
import { nodeFaults } from "../../../sim/simulator/native/node-faults.ts";
import type { Start } from "../../../sim/simulator/ports.ts";
import { replicaFaults } from "../../../sim/simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../../sim/simulator/scenario.ts";
import type { World } from "../../../sim/simulator/world.ts";
import {
  act,
  anyKey,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
} from "../../../sim/simulator/world-faults.ts";
import { createOperator } from "../../../src/controllers/create-operator.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { imagesAsTheyAre } from "../../../src/kinds/module/module-stage.ts";
import { definitions, nodes as nodesResource } from "../../controllers/toy-picture.ts";
import { runSmallKubelets } from "../daemon-set/small-kubelets.ts";
import { DAEMON_SETS, moduleInvariants } from "./module-invariants.ts";
import {
  allPresent,
  aSimulatedModule,
  KERNELS,
  MAPPED,
  MODULE_KEY,
  MODULES,
  moduleDefinition,
  modules,
  SCOPE,
  thinDefinition,
} from "./simulated-module.ts";

const lease = { namespace: "default", name: "farrier" };
/** Short terms: a history of half a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const roles = ["operator", "other-operator"];
/** What says that nodes and leaders live, and tells what happened. */
const noise = new Set([LEASES, "events", "nodes"]);
const MACHINES = 4;

const everyHistory = {
  settleMs: 900_000,
  requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)],
  isNoise: ({ table }: { readonly table: string }) => noise.has(table),
  unsettled,
};
const ofEverybody = [
  ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
  ...[compaction, podMonkey, otherWriter(modules, MODULES)],
];

/** With simulated kubelets, which heartbeat, vanish and reboot. What its set-up starts is used by its faults: one history at a time. */
export function moduleScenario(): Scenario {
  const fleet = mixedFleet({ count: MACHINES, kernels: KERNELS }).map((machine) => ({
    ...machine,
    labels: { ...machine.labels, [SCOPE]: "yes" },
  }));
  let nodes: Nodes | undefined;
  return {
    name: "module",
    about: "two replicas of the operator look after a Module on machines of three kernels",
    ...{ ...everyHistory, faultsMs: 60_000, quietMs: 60_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...replicaFaults,
    ],
    worldFaults: [
      ...[...ofEverybody, newImage, leavesScope, ...["controllers", "nodes"].map(dies)],
      ...nodeFaults(() => nodes, KERNELS),
    ],
    invariants: [observedGenerationRises, ...moduleInvariants(roles)],
    setUp: async (world) => {
      await world.client("user").create(definitions, moduleDefinition());
      await begin(world, () => {
        world.host("nodes", (ports) => {
          nodes = startNodes({ ...ports, fleet });
        });
      });
    },
  };
}

/** With nodes that only say what they are, and pods that run on them at little cost: for many seeds. */
export function smallModuleScenario(): Scenario {
  return {
    name: "small-module",
    about: "two replicas of the operator look after a Module on nodes that cost little",
    ...{ ...everyHistory, faultsMs: 25_000, quietMs: 20_000 },
    faults: [...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })), ...replicaFaults],
    worldFaults: [...ofEverybody, newImage, leavesScope, reboots],
    invariants: [observedGenerationRises, ...moduleInvariants(roles)],
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, thinDefinition);
      for (let at = 0; at < MACHINES; at++) {
        const node = await user.create(nodesResource, aPlainNode(`node-${at}`, KERNELS[at % KERNELS.length] ?? ""));
        // A new node is tainted until somebody finds it ready, and here nobody looks.
        await user.patch(nodesResource, node.metadata.name, { type: "merge", body: { spec: { taints: null } } });
      }
      await begin(world, () => runSmallKubelets(world));
    },
  };
}

async function begin(world: World, startMachines: () => void): Promise<void> {
  await world.client("user").create(modules, aSimulatedModule("v1"));
  const names = ["daemon-set", "scheduler", "garbage-collector", "node-lifecycle", "pod-gc"] as const;
  const isSmall = [...world.state.objects("nodes")].length > 0;
  world.host("controllers", (ports) => void startControllers(isSmall ? { ...ports, names: names.slice(0, 3) } : ports));
  startMachines();
  for (const role of roles) world.host(role, operate);
}

function aPlainNode(name: string, kernelVersion: string) {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { [SCOPE]: "yes" } } },
    status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kernelVersion } },
  };
}

const operate: Start = (ports) => {
  const kinds = [createModuleKind({ planBuilds: imagesAsTheyAre })];
  const limits = { leadership };
  const operator = createOperator(ports, { kinds, program: "farrier", lease, images: allPresent, limits });
  void operator.run(new AbortController().signal);
};

const newImage: WorldFault = {
  ...{ name: "new-image", rate: 0.1 },
  strike: (world) => {
    const tag = `v${world.server.revision()}`;
    const body = { spec: aSimulatedModule(tag).spec };
    act(world, world.client("user").patch(modules, MODULE_KEY, { type: "merge", body }));
    return tag;
  },
};

/** A node comes back with another kernel, under the same name and with its labels. */
const reboots: WorldFault = {
  ...{ name: "reboots", rate: 0.2 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    const kernelVersion = KERNELS[fault.pick(KERNELS.length)] ?? "";
    if (name === undefined) return undefined;
    const body = { status: { nodeInfo: { kernelVersion } } };
    act(world, world.client("user").patch(nodesResource, name, { type: "merge", body }, { subresource: "status" }));
    return `${name} into ${kernelVersion}`;
  },
};

/** Somebody relabels a node out of the Module's scope, or back into it. */
const leavesScope: WorldFault = {
  ...{ name: "leaves-scope", rate: 0.1 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    if (name === undefined) return undefined;
    const value = fault.pick(2) === 0 ? "yes" : "no";
    const body = { metadata: { labels: { [SCOPE]: value } } };
    act(world, world.client("user").patch(nodesResource, name, { type: "merge", body }));
    return `${name} ${value}`;
  },
};

/** Every node in scope of a mapped kernel has one ready pod of the newest image, nobody else has one, and the status says so. */
function unsettled(state: State): string | undefined {
  const module = state.object(MODULES, MODULE_KEY) ?? {};
  const status = objectAt(module, "status");
  if (status.observedGeneration !== numberAt(metaOf(module), "generation")) return "the newest spec has not been seen";
  const wanted = new Map<string, string>();
  for (const node of state.objects("nodes")) {
    const kernel = textAt(objectAt(objectAt(node, "status"), "nodeInfo"), "kernelVersion");
    const isIn = textAt(objectAt(metaOf(node), "labels"), SCOPE) === "yes" && MAPPED.includes(kernel);
    if (isIn) wanted.set(textAt(metaOf(node), "name"), kernel);
  }
  const kernels = new Set(wanted.values());
  const sets = [...state.objects(DAEMON_SETS)].filter((set) => controllerOf(metaOf(set)) === metaOf(module).uid);
  if (sets.length !== kernels.size) return `there are ${sets.length} DaemonSets for ${kernels.size} kernels`;
  const pods = [...state.objects("pods")].filter((pod) =>
    sets.some((set) => metaOf(set).uid === controllerOf(metaOf(pod))),
  );
  for (const pod of pods) {
    const node = textAt(objectAt(pod, "spec"), "nodeName");
    const name = textAt(metaOf(pod), "name");
    if (!wanted.delete(node)) return `${name} is on ${node}, which wants none or has another`;
    if (!imageOf(pod).endsWith(newestTag(module))) return `${name} runs ${imageOf(pod)}`;
  }
  if (wanted.size > 0) return `${[...wanted.keys()].join(", ")} have no pod`;
  // In the end a kernel without a mapping is the only reason not to be ready.
  const [ready, mapped] = [conditionOf(status, "Ready"), conditionOf(status, "Mapped")];
  return ready === mapped ? undefined : `the status says Ready ${ready}, and Mapped ${mapped}`;
}

function newestTag(module: JsonObject): string {
  const [first] = listOf(objectAt(module, "spec").kernelMappings);
  const image = typeof first?.containerImage === "string" ? first.containerImage : "";
  return image.slice(image.lastIndexOf(":"));
}

function imageOf(pod: JsonObject): string {
  const [first] = listOf(objectAt(pod, "spec").containers);
  return typeof first?.image === "string" ? first.image : "";
}

function conditionOf(status: JsonObject, type: string): string {
  return textAt(listOf(status.conditions).find((condition) => condition.type === type) ?? {}, "status");
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}
