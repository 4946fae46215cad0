// A VariantSet in the simulator at little cost, for many seeds: the same set, faults of its users and invariants as with whole kubelets
// and controllers, on nodes that only say what they are, with a DaemonSet controller and pods that work on the store itself.
import { metaOf, textAt } from "../../api-server/api-object.ts";
import {
  act,
  anyKey,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
} from "../../simulator/faults/world-faults.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { LEASES } from "../../simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { runSmallDaemonSets } from "../small-daemon-sets.ts";
import { runSmallKubelets } from "../small-kubelets.ts";
import { commonRules, operate, userFaults } from "./set-scenario.ts";
import {
  aSet,
  DAEMON_SETS,
  daemonSets,
  definitions,
  kernels,
  nodesResource,
  podsResource,
  ROLE,
  revisionsResource,
  SETS,
  thinDefinition,
  variantSets,
} from "./set-world.ts";

/** One node on each side of the line and one of the newest kernels, which is out of scope at first. */
const firstKernels = [kernels[0], kernels[2], kernels[3]];

/** The scenario with one replica of the operator or with two; a test may bring an operator with a mistake of its own. */
export function smallSetScenario(roles: readonly string[], start: Start = operate(roles.length > 1)): Scenario {
  return {
    name: `small-variant-set-${roles.length}`,
    about: "replicas of the operator look after a VariantSet on nodes that cost little",
    ...{ ...commonRules(roles), faultsMs: 15_000, settleMs: 600_000, quietMs: 12_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...(roles.length > 1 ? replicaFaults : []),
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[compaction, podMonkey, otherWriter(variantSets, SETS), otherWriter(daemonSets, DAEMON_SETS)],
      ...[...userFaults, reboots],
    ],
    isNoise: ({ table }) => table === LEASES || table === "events",
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, thinDefinition);
      for (const [at, kernel] of firstKernels.entries()) {
        const node = await user.create(nodesResource, aNode(`node-${at}`, kernel, at < firstKernels.length - 1));
        // A new node is tainted until somebody finds it ready, and here nobody looks.
        await user.patch(nodesResource, node.metadata.name, { type: "merge", body: { spec: { taints: null } } });
      }
      await user.create(variantSets, aSet());
      runSmallDaemonSets(world);
      runSmallKubelets(world);
      collectGarbage(world);
      for (const role of roles) world.host(role, start);
    },
  };
}

function aNode(name: string, kernelVersion: string, isInScope: boolean) {
  const nodeInfo = {
    ...{ kernelVersion, osImage: "Ubuntu 22.04.4 LTS" },
    operatingSystem: "linux",
    architecture: "amd64",
  };
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: isInScope ? { [ROLE]: "storage" } : {} } },
    status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo },
  };
}

/** A node is up again with another kernel. */
const reboots: WorldFault = {
  ...{ name: "node-reboots", rate: 0.1 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    const kernelVersion = kernels[fault.pick(kernels.length)] ?? "";
    if (key === undefined) return undefined;
    const body = { status: { nodeInfo: { kernelVersion } } };
    act(world, world.client("kubelet").patch(nodesResource, key, { type: "merge", body }, { subresource: "status" }));
    return `${key} into ${kernelVersion}`;
  },
};

/** What a DaemonSet leaves behind is taken away, as Kubernetes does. */
function collectGarbage(world: World): void {
  const client = world.client("collector");
  const kept = new Map([
    ["pods", podsResource],
    ["controllerrevisions.apps", revisionsResource],
  ]);
  const collect = () => {
    const owners = new Set([...world.state.objects(DAEMON_SETS)].map((set) => metaOf(set).uid));
    for (const [table, resource] of kept) {
      for (const meta of [...world.state.objects(table)].map(metaOf)) {
        const isLost = !owners.has(controllerOf(meta)) && meta.deletionTimestamp === undefined;
        const key = `${textAt(meta, "namespace")}/${textAt(meta, "name")}`;
        if (isLost) act(world, client.remove(resource, key));
      }
    }
  };
  world.server.onCommit(({ table, type }) => {
    const isNews = (table === DAEMON_SETS && type === "DELETED") || (kept.has(table) && type === "ADDED");
    if (isNews) world.clock.after(300, collect);
  });
}
