// Builds in the simulator: two replicas of the operator look after two Modules whose images have to be built, beside the model
// controllers and kubelets, while inputs change, machines reboot, the registry loses images and everything goes wrong.

import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import { IMAGE_LIMITS, ImageProbes } from "../../../src/controllers/registry/probe-images.ts";
import { objectIdentity } from "../../../src/core/decision/object-identity.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { buildRecipe, isOutdated, RECIPE } from "../../../src/kinds/module/build/build-recipe.ts";
import { BUILD_SITE, type BuildSite } from "../../../src/kinds/module/build/build-site.ts";
import { type BuildTask, parseBuildTask } from "../../../src/kinds/module/build/build-task.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { MADE_BY } from "../../../src/kinds/module/driver/standing-images.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { parsedModule } from "../../../src/kinds/module/testing/module-builders.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { mixedFleet } from "../../fleets/mixed-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { act, compaction, cutOff, dies, hangs } from "../../simulator/faults/world-faults.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { nodeFaults } from "../../simulator/native/node-faults.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import { definitions } from "../operator/toy-picture.ts";
import { ModelRegistry } from "./model-registry.ts";
import { aSimulatedModule, EL9, MODULES, moduleDefinition, modules, SCOPE, UBUNTU } from "./simulated-module.ts";

const lease = { namespace: "default", name: "farrier" };
const roles = ["operator", "other-operator"];
const noise = new Set([LEASES, "events", "nodes"]);
const JOBS = "jobs.batch";
const KERNELS = [EL9, UBUNTU];
const NAMES = ["one", "two"];
const BUILD_MS = 15_000;
const LOOK_MS = 500;

type ConfigMapObject = KubeObject & { readonly data: Readonly<Record<string, string>> };
const configMaps: Resource<ConfigMapObject> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};

const builder: BuildSite["builder"] = {
  is: "template",
  template: {
    metadata: { annotations: { "kubelet.farrier.dev/run-ms": String(BUILD_MS) } },
    spec: { containers: [{ name: "build", image: "builder:1" }] },
  },
};

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function buildScenario(runningMax: number): Scenario {
  const site: BuildSite = { ...BUILD_SITE, builder, runningMax };
  const fleet = mixedFleet({ count: 3, kernels: KERNELS }).map((machine) => ({
    ...{ ...machine, arch: "amd64", labels: { ...machine.labels, [SCOPE]: "yes" } },
  }));
  let nodes: Nodes | undefined;
  let registry = new ModelRegistry();
  return {
    name: "builds",
    about: `two replicas of the operator build the images of two Modules, ${runningMax} at a time`,
    ...{ faultsMs: 60_000, settleMs: 3_600_000, quietMs: 60_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...replicaFaults,
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...["controllers", "nodes"].map(dies),
      ...nodeFaults(() => nodes, KERNELS),
      ...[compaction, newInput, newDockerfile, registryLoses(() => registry)],
    ],
    invariants: () => [observedGenerationRises, ...buildInvariants(runningMax, () => registry)],
    requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      registry = new ModelRegistry();
      const user = world.client("user");
      await user.create(definitions, moduleDefinition());
      await user.create(configMaps, aDockerfile("FROM one"));
      for (const name of NAMES) await user.create(modules, aBuiltModule(name));
      world.host("controllers", (ports) => void startControllers(ports));
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet });
      });
      world.host("builders", ({ clock }) => {
        const look = () => {
          for (const task of tasksIn(world.state))
            if (task.state.is === "succeeded") registry.push(task.image, task.uid);
          clock.after(LOOK_MS, look);
        };
        look();
      });
      for (const role of roles) world.host(role, operateWith(registry, site));
    },
  };
}

function aBuiltModule(name: string, argument = "1") {
  const build = { dockerfileConfigMap: { name: "dockerfile" }, buildArgs: [{ name: "DRIVER", value: argument }] };
  return aSimulatedModule("v1", { build }, name);
}

function aDockerfile(dockerfile: string): ConfigMapObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "dockerfile", namespace: "default" },
    data: { dockerfile },
  };
}

function operateWith(registry: ModelRegistry, site: BuildSite): Start {
  return (ports) => {
    const kind = createModuleKind({ planBuilds: (input) => planBuilds(input, site) });
    const limits = { ...IMAGE_LIMITS, presentMs: 60_000 };
    const images = new ImageProbes({ ...ports, limits, registry: registry.transport(ports.clock) });
    void createOperator(ports, { kinds: [kind], program: "farrier", lease, images }).run(new AbortController().signal);
  };
}

const newDockerfile: WorldFault = {
  ...{ name: "new-dockerfile", rate: 0.05 },
  strike: (world) => {
    const { data } = aDockerfile(`FROM v${world.server.revision()}`);
    act(world, world.client("user").patch(configMaps, "default/dockerfile", { type: "merge", body: { data } }));
    return "dockerfile";
  },
};

const newInput: WorldFault = {
  ...{ name: "new-input", rate: 0.1 },
  strike: (world, fault) => {
    const name = NAMES[fault.pick(NAMES.length)] ?? "";
    const { spec } = aBuiltModule(name, `v${world.server.revision()}`);
    act(world, world.client("user").patch(modules, `default/${name}`, { type: "merge", body: { spec } }));
    return name;
  },
};

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

/** S10: no image is made twice at once, no more builds run than may, and no DaemonSet has an image that nobody has pushed. */
function buildInvariants(runningMax: number, registry: () => ModelRegistry): readonly Invariant[] {
  const runningIn = (state: State) => tasksIn(state).filter(({ state: { is } }) => is === "running");
  const onJobs = (check: (state: State) => string | undefined) => (commit: Commit, state: State) =>
    commit.table === JOBS ? check(state) : undefined;
  return [
    {
      name: "BuildOnce",
      check: onJobs((state) => {
        const images = runningIn(state).map(({ image }) => image);
        const twice = images.find((image, at) => images.indexOf(image) < at);
        return twice === undefined ? undefined : `${twice} is made twice at once`;
      }),
    },
    {
      // One more where a Job of another Module came while one was being started.
      name: "BuildLimit",
      check: onJobs((state) => {
        const { length } = runningIn(state);
        return length > runningMax + 1 ? `${length} builds run` : undefined;
      }),
    },
    {
      name: "ImageWasPushed",
      check: ({ table, after }) => {
        if (table !== "daemonsets.apps" || after === undefined) return undefined;
        const [image = ""] = imageOf(objectAt(objectAt(after, "spec"), "template")).split("@");
        return registry().everHad(image) ? undefined : `${image} was never pushed`;
      },
    },
    {
      // A digest in a template is what the very Job pushed that the DaemonSet names: nothing that somebody else put there.
      name: "PinnedToItsBuild",
      check: ({ table, after }) => {
        if (table !== "daemonsets.apps" || after === undefined) return undefined;
        const image = imageOf(objectAt(objectAt(after, "spec"), "template"));
        const by = objectIdentity(after).annotations[MADE_BY];
        const pushed = by === undefined ? undefined : registry().pushedBy(by);
        return image === (pushed ?? image.replace(/@.*$/, "")) ? undefined : `${image} is not what Job ${by} pushed`;
      },
    },
  ];
}

/** Every Module has seen its newest inputs, its kernels have a driver or say why not, and no Job is left but those that failed. */
function unsettled(state: State): string | undefined {
  const open = tasksIn(state).find((task) => task.state.is !== "failed" || !task.isTold);
  if (open !== undefined) return `Job ${open.name} is ${open.state.is}`;
  for (const name of NAMES) {
    const module = state.object(MODULES, `default/${name}`) ?? {};
    const status = objectAt(module, "status");
    if (status.observedGeneration !== numberAt(metaOf(module), "generation")) return `${name} has not been seen`;
    const kernels = Array.isArray(status.kernels) ? status.kernels : [];
    const waiting = kernels.find(({ state: is }) => is !== "Ready" && is !== "Failed");
    if (waiting !== undefined) return `${name}: ${JSON.stringify(waiting)}`;
    if (kernels.length === 0) return `${name} has no kernels`;
    const outdated = kernels.every(({ state: is }) => is === "Ready") ? outdatedOf(state, module) : undefined;
    if (outdated !== undefined) return outdated;
  }
  return undefined;
}

/** Whatever was made here and runs is made from the present Dockerfile and arguments. */
function outdatedOf(state: State, module: JsonObject): string | undefined {
  const { uid } = objectIdentity(module);
  const { dockerfile: text } = objectAt(state.object("configmaps", "default/dockerfile") ?? {}, "data");
  const builds = parsedModule(module).driver?.mappings.flatMap(({ build }) => build ?? []) ?? [];
  const recipes = builds.map((build) => buildRecipe(build, { text: String(text) }));
  for (const object of state.objects("daemonsets.apps")) {
    const { controllerUid, annotations, name } = objectIdentity(object);
    const recipe = annotations[RECIPE];
    if (controllerUid === uid && isOutdated(recipe, recipes)) return `DaemonSet ${name} runs what is outdated`;
  }
  return undefined;
}

function tasksIn(state: State): readonly BuildTask[] {
  return [...state.objects(JOBS)].map((object) => parseBuildTask({ ...objectIdentity(object), object }));
}

function imageOf(template: JsonObject): string {
  const { containers } = objectAt(template, "spec");
  const [first] = Array.isArray(containers) ? containers : [];
  return textAt(first ?? {}, "image");
}
