// Modules in the simulator with everything around them: two replicas of the operator look after a Module with a device plugin, whose images
// are built, on four machines of three kernels, one of which no mapping matches, beside kubelets and all model controllers.
//
// Beside this file:
//   simulated-module.ts, module-faults.ts                        the Module, and what happens to it
//   small-module-scenario.ts, small-builds.ts, small-garbage.ts  the same at little cost
//   module-invariants.ts, module-budget.ts, module-partition.ts  what holds after every write
//   kernel-match.ts, foreign-fields.ts, build-invariants.ts      more of it
//   module-wishes.ts, module-settled.ts                          what nodes should run, and the end
//   build-scenario.ts, model-registry.ts                         builds, and the registry

import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import { IMAGE_LIMITS, ImageProbes } from "../../../src/controllers/registry/probe-images.ts";
import { objectIdentity } from "../../../src/core/decision/object-identity.ts";
import { BUILD_SITE, type BuildSite } from "../../../src/kinds/module/build/build-site.ts";
import { parseBuildTask } from "../../../src/kinds/module/build/build-task.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { mixedFleet } from "../../fleets/mixed-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import { compaction, cutOff, dies, hangs, otherWriter, podMonkey } from "../../simulator/faults/world-faults.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { nodeFaults } from "../../simulator/native/node-faults.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { writesAreFenced } from "../fenced-writes.ts";
import { definitions } from "../operator/toy-picture.ts";
import { buildInvariants } from "./build-invariants.ts";
import { ModelRegistry } from "./model-registry.ts";
import { leavesScope, newImage } from "./module-faults.ts";
import { moduleInvariants } from "./module-invariants.ts";
import { unsettled } from "./module-settled.ts";
import {
  aDockerfile,
  aSimulatedModule,
  build,
  configMaps,
  KERNELS,
  MODULES,
  moduleDefinition,
  modules,
  SCOPE,
} from "./simulated-module.ts";
import { TASKS } from "./small-builds.ts";

const lease = { namespace: "default", name: "farrier" };
/** Short terms: a history of a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const roles = ["operator", "other-operator"];
/** What says that nodes and leaders live, and tells what happened. */
const noise = new Set([LEASES, "events", "nodes"]);
const MACHINES = 4;
const BUILD_MS = 3_000;
const LOOK_MS = 500;

/** A builder whose pods end by themselves after a while. */
const builder: BuildSite["builder"] = {
  is: "template",
  template: {
    metadata: { annotations: { "kubelet.farrier.dev/run-ms": String(BUILD_MS) } },
    spec: { containers: [{ name: "build", image: "builder:1" }] },
  },
};
const aBuiltModule = () =>
  aSimulatedModule("v1", {
    build,
    devicePlugin: { container: { image: "registry.example.com/plugin:v1" } },
  });

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function moduleScenario(): Scenario {
  const fleet = mixedFleet({ count: MACHINES, kernels: KERNELS }).map((machine) => ({
    ...{ ...machine, arch: "amd64", labels: { ...machine.labels, [SCOPE]: "yes" } },
  }));
  let nodes: Nodes | undefined;
  let registry = new ModelRegistry();
  let nowMs = () => 0;
  return {
    name: "module",
    about: "two replicas of the operator look after a Module on machines of three kernels",
    ...{ faultsMs: 40_000, settleMs: 1_800_000, quietMs: 60_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...replicaFaults,
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[compaction, podMonkey, otherWriter(modules, MODULES), newImage, leavesScope],
      ...["controllers", "nodes"].map(dies),
      ...nodeFaults(() => nodes, KERNELS),
    ],
    invariants: () => [
      ...[observedGenerationRises, ...moduleInvariants(roles, () => nowMs(), { nativeTwins: true })],
      ...buildInvariants(() => registry),
    ],
    requestRules: [
      ...[deletesCarryUid(...roles), writesAreFenced(...roles)],
      onlyHolderSends(roles, `${lease.namespace}/${lease.name}`),
    ],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      registry = new ModelRegistry();
      nowMs = () => world.clock.monotonicMs();
      const user = world.client("user");
      await user.create(definitions, moduleDefinition());
      await user.create(configMaps, aDockerfile());
      await user.create(modules, aBuiltModule());
      world.host("controllers", (ports) => void startControllers(ports));
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet });
      });
      pushWhatIsBuilt(world, registry);
      for (const role of roles) world.host(role, operateWith(registry));
    },
  };
}

/** An image is in the registry once its build has succeeded. */
function pushWhatIsBuilt(world: World, registry: ModelRegistry): void {
  world.host("builders", ({ clock }) => {
    const look = () => {
      for (const object of world.state.objects(TASKS)) {
        const { state, image, uid } = parseBuildTask({ ...objectIdentity(object), object });
        if (state.is === "succeeded") registry.push(image, uid);
      }
      clock.after(LOOK_MS, look);
    };
    look();
  });
}

function operateWith(registry: ModelRegistry): Start {
  const site: BuildSite = { ...BUILD_SITE, builder };
  return (ports) => {
    const kinds = [createModuleKind({ planBuilds: (input) => planBuilds(input, site) })];
    const images = new ImageProbes({ ...ports, limits: IMAGE_LIMITS, registry: registry.transport(ports.clock) });
    const operator = createOperator(ports, { kinds, program: "farrier", lease, images, limits: { leadership } });
    void operator.run(new AbortController().signal);
  };
}
