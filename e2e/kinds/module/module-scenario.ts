// Modules in the simulator: two replicas of the operator look after one Module on four machines of three kernels, one of which no mapping
// matches, beside the model controllers and kubelets, while images change, machines reboot and everything goes wrong.
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
import { act, compaction, cutOff, dies, hangs, otherWriter, podMonkey } from "../../../sim/simulator/world-faults.ts";
import { createOperator } from "../../../src/controllers/create-operator.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { imagesAsTheyAre } from "../../../src/kinds/module/module-stage.ts";
import { definitions, nodes as nodesResource } from "../../controllers/toy-picture.ts";
import { moduleInvariants } from "./module-invariants.ts";
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
} from "./simulated-module.ts";

const lease = { namespace: "default", name: "farrier" };
const roles = ["operator", "other-operator"];
/** What says that nodes and leaders live, and tells what happened. */
const noise = new Set([LEASES, "events", "nodes"]);
const MACHINES = 4;

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function moduleScenario(): Scenario {
  const fleet = mixedFleet({ count: MACHINES, kernels: KERNELS }).map((machine) => ({
    ...machine,
    labels: { ...machine.labels, [SCOPE]: "yes" },
  }));
  let nodes: Nodes | undefined;
  return {
    name: "module",
    about: "two replicas of the operator look after a Module on machines of three kernels",
    ...{ faultsMs: 60_000, settleMs: 900_000, quietMs: 60_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...replicaFaults,
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...["controllers", "nodes"].map(dies),
      ...nodeFaults(() => nodes, KERNELS),
      ...[compaction, podMonkey, otherWriter(modules, MODULES), newImage, leavesScope],
    ],
    invariants: [observedGenerationRises, ...moduleInvariants(roles)],
    requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, moduleDefinition());
      await user.create(modules, aSimulatedModule("v1"));
      world.host("controllers", (ports) => void startControllers(ports));
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet });
      });
      for (const role of roles) world.host(role, operate);
    },
  };
}

const operate: Start = (ports) => {
  const kind = createModuleKind({ planBuilds: imagesAsTheyAre });
  const operator = createOperator(ports, { kinds: [kind], program: "farrier", lease, images: allPresent });
  void operator.run(new AbortController().signal);
};

const newImage: WorldFault = {
  ...{ name: "new-image", rate: 0.04 },
  strike: (world) => {
    const tag = `v${world.server.revision()}`;
    act(
      world,
      world.client("user").patch(modules, MODULE_KEY, { type: "merge", body: { spec: aSimulatedModule(tag).spec } }),
    );
    return tag;
  },
};

/** Somebody relabels a node out of the Module's scope, or back into it. */
const leavesScope: WorldFault = {
  ...{ name: "leaves-scope", rate: 0.03 },
  strike: (world, fault) => {
    const all = [...world.state.objects("nodes")].map((node) => textAt(metaOf(node), "name"));
    const name = all[fault.pick(all.length)];
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
  const sets = [...state.objects("daemonsets.apps")].filter((set) => controllerOf(metaOf(set)) === metaOf(module).uid);
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
  const ready = conditionOf(status, "Ready");
  return ready === "True" ? undefined : `the status says Ready ${ready}`;
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
