// A Module in the simulator at little cost, for many seeds: nodes that only say what they are, pods that run on them without
// kubelets, and Kubernetes' controllers as their decisions alone. A shape says how much of the Module there is.

import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import { IMAGE_LIMITS, ImageProbes } from "../../../src/controllers/registry/probe-images.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { imagesAsTheyAre } from "../../../src/kinds/module/testing/module-stage.ts";
import { taints } from "../../simulator/faults/place-faults.ts";
import { compaction, cutOff, dies, hangs, otherWriter, podMonkey } from "../../simulator/faults/world-faults.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import { writesAreFenced } from "../fenced-writes.ts";
import { daemonSets, definitions } from "../operator/toy-picture.ts";
import { runSmallDaemonSets, SETS } from "../small-daemon-sets.ts";
import { runSmallKubelets } from "../small-kubelets.ts";
import { buildInvariants } from "./build-invariants.ts";
import { ModelRegistry } from "./model-registry.ts";
import {
  joins,
  leavesScope,
  mappingGone,
  moduleMadeAnew,
  newImage,
  newInput,
  nodeMadeAnew,
  pausedForAWhile,
  reboots,
  sulks,
} from "./module-faults.ts";
import { moduleInvariants } from "./module-invariants.ts";
import { unsettled } from "./module-settled.ts";
import {
  aDockerfile,
  allPresent,
  anUnreadableModule,
  aSimulatedModule,
  build,
  configMaps,
  KERNELS,
  MODULES,
  modules,
  thinDefinition,
} from "./simulated-module.ts";
import { runSmallBuilds } from "./small-builds.ts";
import { collectGarbage } from "./small-garbage.ts";

/** Two replicas of a plain Module; one with a device plugin; one whose images have to be built. */
export type Shape = "replicas" | "plugin" | "builds";

const lease = { namespace: "default", name: "farrier" };
/** Short terms: a history of half a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const noise = new Set([LEASES, "events", "nodes"]);
const MACHINES = 3;
/** A kernel that nobody can mount; its node must harm nobody else. */
const ODD_KERNEL = "5.10/../..";
const devicePlugin = { container: { image: "registry.example.com/plugin:v1" } };

/** The scenario of a shape; a test may bring an operator with a fault of its own. It remembers: one history at a time. */
export function smallModuleScenario(shape: Shape, operator?: Start): Scenario {
  const roles = shape === "replicas" ? ["operator", "other-operator"] : ["operator"];
  const module = aSimulatedModule("v1", {
    ...(shape === "plugin" ? { devicePlugin } : {}),
    ...(shape === "builds" ? { build } : {}),
  });
  let registry = new ModelRegistry();
  let nowMs = () => 0;
  return {
    name: `module-${shape}`,
    about: `a Module on nodes that cost little: ${shape}`,
    ...{ faultsMs: 20_000, settleMs: 1_800_000, quietMs: 20_000 },
    faults: [...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })), ...replicaFaults],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[compaction, podMonkey, otherWriter(modules, MODULES), otherWriter(daemonSets, SETS)],
      ...[newImage, mappingGone, pausedForAWhile, moduleMadeAnew(module)],
      ...[reboots, leavesScope, sulks, nodeMadeAnew, taints],
      ...(shape === "builds" ? [newInput, registryLoses(() => registry)] : []),
    ],
    invariants: () => [
      ...[observedGenerationRises, ...moduleInvariants(roles, () => nowMs(), { nativeTwins: false })],
      ...(shape === "builds" ? buildInvariants(() => registry) : []),
    ],
    requestRules: [
      ...[deletesCarryUid(...roles), writesAreFenced(...roles)],
      ...(roles.length > 1 ? [onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)] : []),
    ],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      registry = new ModelRegistry();
      nowMs = () => world.clock.monotonicMs();
      const user = world.client("user");
      await user.create(definitions, thinDefinition);
      await user.create(configMaps, aDockerfile());
      for (let at = 0; at < MACHINES; at++) await joins(world, `node-${at}`, KERNELS[at % KERNELS.length] ?? "");
      await joins(world, "odd", ODD_KERNEL);
      for (const each of [module, anUnreadableModule()]) await user.create(modules, each);
      runSmallKubelets(world);
      runSmallDaemonSets(world);
      collectGarbage(world);
      if (shape === "builds")
        runSmallBuilds(
          world,
          () => registry,
          () => true,
        );
      for (const role of roles) world.host(role, operator ?? operateWith(shape, registry));
    },
  };
}

/** The operator as it is, with as much around it as the shape needs. */
export function operateWith(shape: Shape, registry: ModelRegistry): Start {
  return (ports) => {
    const limits = { leadership };
    const builds = () => ({
      kinds: [createModuleKind({ planBuilds })],
      images: new ImageProbes({ ...ports, limits: IMAGE_LIMITS, registry: registry.transport(ports.clock) }),
    });
    const plain = () => ({ kinds: [createModuleKind({ planBuilds: imagesAsTheyAre })], images: allPresent });
    const parts = shape === "builds" ? builds() : plain();
    const shared = shape === "replicas" ? { lease } : {};
    void createOperator(ports, { ...parts, ...shared, program: "farrier", limits }).run(new AbortController().signal);
  };
}

function registryLoses(registry: () => ModelRegistry): WorldFault {
  return {
    ...{ name: "registry-loses", rate: 0.03 },
    strike: (_, fault) => {
      const images = registry().images();
      const image = images[fault.pick(Math.max(1, images.length))];
      if (image !== undefined) registry().lose(image);
      return image;
    },
  };
}
