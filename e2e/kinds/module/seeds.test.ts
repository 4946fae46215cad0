// The use cases and reconciliation loops that the design began with, sentence by sentence, on a real control plane with its own DaemonSet and
// Job controllers: the name of each test is a sentence of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { ModelRegistry } from "../../../sim/scenarios/module/model-registry.ts";
import {
  aDockerfile,
  aSimulatedModule,
  build,
  configMaps,
  EL9,
  moduleDefinition,
  modules,
  SCOPE,
  UBUNTU,
  UNMAPPED,
} from "../../../sim/scenarios/module/simulated-module.ts";
import { type AnyObject, daemonSets, nodes } from "../../../sim/scenarios/operator/toy-picture.ts";
import { objectIdentity } from "../../../src/core/decision/object-identity.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { BUILD_SITE, type BuildSite } from "../../../src/kinds/module/build/build-site.ts";
import { parseBuildTask } from "../../../src/kinds/module/build/build-task.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { modulePicture } from "./module-picture.ts";
import { type MortalOperator, startOperator } from "./mortal-operator.ts";

const SOON = { deadlineMs: 150_000, everyMs: 250 };
const LOOK_MS = 100;
/** So many times sooner do facts settle and times of grace end than on a cluster that nobody waits for. */
const HASTE = 5;
const KERNEL = "kmm.node.kubernetes.io/kernel-version.full";
const jobs: Resource<KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject }> = {
  ...{ group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true },
};
const image = (system: "el9" | "ubuntu", tag: string, name = "driver") =>
  `registry.example.com/${name}-${system}:${tag}`;
const runs = (kernel: string, tag: string) => `${kernel} ready driver-${kernel === EL9 ? "el9" : "ubuntu"}:${tag}`;

/** A builder whose pods end well after a moment. */
const builder: BuildSite["builder"] = {
  is: "template",
  template: {
    metadata: { annotations: { "kubelet.farrier.dev/run-ms": "500" } },
    spec: { containers: [{ name: "build", image: "builder:1" }] },
  },
};

describeWith("controllers", "the design, sentence by sentence", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let operator: MortalOperator;
  let builders: NodeJS.Timeout;
  const registry = new ModelRegistry();
  /** Builds end, and what they push is there, only while this is so. */
  let isPushing = true;
  const fleet = mixedFleet({ count: 6, kernels: [EL9] }).map((machine, at) => ({
    ...{ ...machine, arch: "amd64", kernel: [EL9, EL9, UBUNTU, UNMAPPED, EL9, EL9][at] ?? EL9 },
    labels: { ...machine.labels, [SCOPE]: "yes" },
  }));
  const [a, b, c, d, late, other] = fleet.map(({ name }) => name);

  beforeAll(async () => {
    world = await startInstalledCluster({ binaries, definitions: [moduleDefinition()], machines: fleet.slice(0, 4) });
    client = world.admin.client;
    await client.create(configMaps, aDockerfile());
    for (const system of ["el9", "ubuntu"] as const)
      for (const tag of ["v1", "v2"]) registry.push(image(system, tag), `${system} ${tag}`);
    const site: BuildSite = { ...BUILD_SITE, builder };
    operator = startOperator(world.operator, createModuleKind({ planBuilds: (input) => planBuilds(input, site) }), {
      ...{ identity: "operator", haste: HASTE, registry: registry.transport(world.admin.clock) },
    });
    builders = setInterval(() => void pushWhatIsBuilt().catch(() => undefined), LOOK_MS);
  });
  afterAll(async () => {
    clearInterval(builders);
    operator?.life.abort();
    await world?.stop();
  });

  const pushWhatIsBuilt = async () => {
    if (!isPushing) return;
    for (const job of (await client.list(jobs)).items) {
      const { state, image: built, uid } = taskOf(job);
      if (state.is === "succeeded") registry.push(built, uid);
    }
  };
  const reached = (what: string, nodesNow: Readonly<Record<string, string>>, kernels: readonly string[]) =>
    eventually(
      what,
      async () => {
        const now = await modulePicture(client, "driver");
        if (JSON.stringify([now.nodes, now.kernels]) !== JSON.stringify([nodesNow, kernels]))
          throw new Error(JSON.stringify(now));
        return now;
      },
      SOON,
    );
  const setsOf = async (name: string): Promise<readonly AnyObject[]> => {
    const { items } = await client.list(daemonSets);
    return items.filter(({ metadata }) => metadata.labels?.["kmm.node.kubernetes.io/module.name"] === name);
  };
  const change = (spec: JsonObject, name = "driver") =>
    client.patch(modules, `default/${name}`, { type: "merge", body: { spec } });
  const relabel = (name: string | undefined, value: string) =>
    client.patch(nodes, String(name), { type: "merge", body: { metadata: { labels: { [SCOPE]: value } } } });
  const three = (tag: string) => ({ [`${a}`]: runs(EL9, tag), [`${b}`]: runs(EL9, tag), [`${c}`]: runs(UBUNTU, tag) });

  describe("A new module is added to the cluster", () => {
    test("It uses the Module's .spec.kernelMappings to create DaemonSets for each of those kernels.", async () => {
      await client.create(modules, aSimulatedModule("v1"));
      await reached("one DaemonSet per mapped kernel", three("v1"), [EL9, UBUNTU]);
    });

    test("We end up with a certain number of (kernel, image) pairs; for each of these pairs, there should be a DaemonSet.", async () => {
      const pairs = (await setsOf("driver")).map((set) => [set.metadata.labels?.[KERNEL], imageOf(set)]);
      expect(pairs.sort()).toEqual([
        [EL9, image("el9", "v1")],
        [UBUNTU, image("ubuntu", "v1")],
      ]);
    });

    test("If there is not already a matching DaemonSet, we create it and set the Module as owner.", async () => {
      const uid = (await client.get(modules, "default/driver"))?.metadata.uid;
      for (const { metadata } of await setsOf("driver"))
        expect(metadata.ownerReferences).toMatchObject([{ kind: "Module", name: "driver", uid, controller: true }]);
    });

    test("For each DaemonSet belonging to Module, we set the following labels: module.name and kernel-version.full.", async () => {
      const labels = (await setsOf("driver")).map(({ metadata }) => metadata.labels);
      const module = { "kmm.node.kubernetes.io/module.name": "driver" };
      const byKernel = (x: Labels, y: Labels) => String(x?.[KERNEL]).localeCompare(String(y?.[KERNEL]));
      expect(labels.sort(byKernel)).toMatchObject([
        { ...module, [KERNEL]: EL9 },
        { ...module, [KERNEL]: UBUNTU },
      ]);
    });
  });

  describe("A node matches a Module's .spec.selector, but not any of its kernel mappings", () => {
    test("No DaemonSet is scheduled for this module and this kernel. The OOT kernel module will not be deployed on that node.", async () => {
      const { nodes: lines, kernels, conditions } = await modulePicture(client, "driver");
      expect([lines[`${d}`], kernels.includes(UNMAPPED)]).toEqual([undefined, false]);
      expect(conditions.Mapped).toBe("False KernelUnmapped");
    });
  });

  describe("Module update: kernel $kernel should run a new DriverContainer image", () => {
    test("If a DaemonSet already exists for $moduleName and $kernel, it is updated with the new DriverContainer image.", async () => {
      const before = (await setsOf("driver")).map(({ metadata }) => metadata.uid).sort();
      await change({ kernelMappings: aSimulatedModule("v2").spec.kernelMappings ?? [] });
      await reached("the new image on every node", three("v2"), [EL9, UBUNTU]);
      expect((await setsOf("driver")).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
    });

    test("If there is already such a DaemonSet, we update it, if needed: an edit that changes nothing writes to none.", async () => {
      const before = (await setsOf("driver")).map(({ metadata }) => metadata.generation);
      const { metadata } = await change({ updateStrategy: { maxUnavailable: 2 } });
      await eventually(
        "the edit has been seen",
        async () =>
          (await client.get(modules, "default/driver"))?.status?.observedGeneration === metadata.generation ||
          undefined,
        SOON,
      );
      expect((await setsOf("driver")).map((set) => set.metadata.generation)).toEqual(before);
    });

    test("If that image requires a build, we create the build object and wait for its completion before we modify the DaemonSet.", async () => {
      isPushing = false;
      await change({ kernelMappings: aSimulatedModule("v3").spec.kernelMappings ?? [], build });
      const built = await eventually("two builds that have ended", endedBuilds, SOON);
      expect(built).toEqual([image("el9", "v3"), image("ubuntu", "v3")]);
      expect((await setsOf("driver")).map(imageOf).sort()).toEqual([image("el9", "v2"), image("ubuntu", "v2")]);
      isPushing = true;
      await reached("the built image on every node", three("v3"), [EL9, UBUNTU]);
    });
    const endedBuilds = async () => {
      const tasks = (await client.list(jobs)).items.map(taskOf);
      const ended = tasks.filter(({ state }) => state.is === "succeeded").map((task) => task.image);
      return ended.length === 2 ? ended.sort() : undefined;
    };
  });

  describe("A new node joins the cluster (or is modified)", () => {
    test("It creates a DaemonSet that runs that DriverContainer on all nodes running that kernel.", async () => {
      await world.kubelets.join(fleet.slice(4, 5));
      await reached("the driver on the new node", { ...three("v3"), [`${late}`]: runs(EL9, "v3") }, [EL9, UBUNTU]);
    });

    test("The OOTO lists all Modules and checks which ones should run on the node: one that does not select it is not there.", async () => {
      const elsewhere = aSimulatedModule("v1", { selector: { "example.dev/other": "yes" } }, "elsewhere");
      for (const system of ["el9", "ubuntu"] as const)
        registry.push(image(system, "v1", "elsewhere"), `elsewhere ${system}`);
      await client.create(modules, elsewhere);
      await eventually(
        "the other Module has been looked at",
        async () => (await client.get(modules, "default/elsewhere"))?.status?.observedGeneration === 1 || undefined,
        SOON,
      );
      expect(await setsOf("elsewhere")).toEqual([]);
      const labels = { "example.dev/other": "yes" };
      await client.patch(nodes, `${late}`, { type: "merge", body: { metadata: { labels } } });
      await eventually(
        "the other Module runs on the one node that it selects",
        async () => {
          const { nodes: lines } = await modulePicture(client, "elsewhere");
          return (
            JSON.stringify(lines) === JSON.stringify({ [`${late}`]: `${EL9} ready elsewhere-el9:v1` }) || undefined
          );
        },
        SOON,
      );
      await client.remove(modules, "default/elsewhere");
    });
  });

  describe("A node's kernel is updated", () => {
    test("Modifying an existing node: it gets the driver of its new kernel.", async () => {
      world.kubelets.reboot(`${late}`, { kernel: UBUNTU });
      await reached("another driver", { ...three("v3"), [`${late}`]: runs(UBUNTU, "v3") }, [EL9, UBUNTU]);
    });

    test("Deleting the node and creating a new one: that one gets the driver of its kernel.", async () => {
      world.kubelets.vanish(`${b}`);
      await client.remove(nodes, `${b}`);
      await world.kubelets.join(fleet.slice(5, 6));
      const rest = { [`${a}`]: runs(EL9, "v3"), [`${c}`]: runs(UBUNTU, "v3"), [`${late}`]: runs(UBUNTU, "v3") };
      await reached("a driver on the new node", { ...rest, [`${other}`]: runs(EL9, "v3") }, [EL9, UBUNTU]);
    });
  });

  describe("A node leaves the cluster", () => {
    test("If that node was targeted by one of the DaemonSets, said DaemonSet's .status.desiredNumberScheduled is decremented.", async () => {
      const isDesired = (count: number) =>
        eventually(
          `${count} nodes are targeted`,
          async () => {
            const set = (await setsOf("driver")).find(({ metadata }) => metadata.labels?.[KERNEL] === UBUNTU);
            return JSON.stringify(set?.status).includes(`"desiredNumberScheduled":${count},`) || undefined;
          },
          SOON,
        );
      await isDesired(2);
      await relabel(c, "no");
      await isDesired(1);
      await relabel(late, "no");
      await isDesired(0);
    });

    test("if that field reaches 0, the DaemonSet is deleted: A DaemonSet should be deleted when it runs a DriverContainer image for a kernel that no Node runs anymore.", async () => {
      await reached(
        "the DaemonSet has gone after its time of grace",
        { [`${a}`]: runs(EL9, "v3"), [`${other}`]: runs(EL9, "v3") },
        [EL9],
      );
    }, 200_000);
  });

  describe("When a Module is deleted", () => {
    test("we have nothing to do: because we set it as owner of all DaemonSets, Kubernetes garbage collection will take care of deleting them.", async () => {
      // The operator is away: nobody but Kubernetes does it.
      operator.life.abort(new Error("killed"));
      await client.remove(modules, "default/driver");
      await eventually(
        "no DaemonSet is left",
        async () => ((await setsOf("driver")).length === 0 ? true : undefined),
        SOON,
      );
    });

    test("The Module owns the build object, so that it is deleted when the Module is deleted.", async () => {
      await eventually(
        "no Job is left",
        async () => ((await client.list(jobs)).items.length === 0 ? true : undefined),
        SOON,
      );
    });
  });
});

type Labels = Readonly<Record<string, string>> | undefined;

function taskOf(job: KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject }) {
  const object: JsonObject = JSON.parse(JSON.stringify(job));
  return parseBuildTask({ ...objectIdentity(object), object });
}

function imageOf(set: AnyObject): string {
  return /"image":"([^"@]+)/.exec(JSON.stringify(set.spec))?.[1] ?? "";
}
