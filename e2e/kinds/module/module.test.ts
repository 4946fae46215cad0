// Modules on a real control plane with simulated kubelets: the use cases of the design, one by one.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import {
  aSimulatedModule,
  EL9,
  KERNELS,
  moduleDefinition,
  modules,
  SCOPE,
  UBUNTU,
  UNMAPPED,
} from "../../../sim/scenarios/module/simulated-module.ts";
import { daemonSets, nodes } from "../../../sim/scenarios/operator/toy-picture.ts";
import { RivalWatch } from "../../../src/controllers/coexistence/rival-watch.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import { namespaces } from "../../../src/kube/client/built-in-resources.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { leases, microTime } from "../../../src/runtime/lease/lease-record.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type ModulePicture, modulePicture } from "./module-picture.ts";
import { type Mortality, type MortalOperator, startOperator } from "./mortal-operator.ts";

const events: Resource<KubeObject & JsonObject> = {
  ...{ group: "", version: "v1", plural: "events", kind: "Event", namespaced: true },
};
const SOON = { deadlineMs: 120_000, everyMs: 250 };
const QUIET_MS = 2_000;
/** Facts settle and statuses are told so many times sooner than on a cluster that nobody waits for. */
const HASTE = 5;
/** Longer than a process can have nothing to write while the story is not over, on however slow a machine. */
const IDLE_MS = 60_000;
const MACHINES = 6;
const PROCESSES_MAX = 120;

describeWith("controllers", "Modules on a real control plane", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  const running: MortalOperator[] = [];
  const names = Array.from({ length: MACHINES }, (_, index) => `node-00${index + 1}`);
  const kernelOf = (index: number) => KERNELS[index % KERNELS.length] ?? "";

  beforeAll(async () => {
    const machines = mixedFleet({ count: MACHINES, kernels: KERNELS }).map((machine) => ({
      ...machine,
      labels: { ...machine.labels, [SCOPE]: "yes" },
    }));
    world = await startInstalledCluster({ binaries, definitions: [moduleDefinition()], machines });
    client = world.admin.client;
  });
  afterEach(async () => {
    for (const { metadata } of (await client.list(modules)).items)
      await client.remove(modules, `default/${metadata.name}`);
    if (running.length === 0) operate();
    await reached("driver", { nodes: {}, kernels: [] });
    for (const { life } of running.splice(0)) life.abort();
    for (const { name, kernel } of world.kubelets.machines) {
      const first = kernelOf(names.indexOf(name));
      if (kernel !== first) world.kubelets.reboot(name, { kernel: first });
    }
    for (const name of names) await relabel(name, "yes");
  });
  afterAll(() => world?.stop());

  const operate = (mortality: Partial<Mortality> = {}, kind = createModuleKind({ planBuilds })): MortalOperator => {
    const identity = `operator-${running.length}`;
    const started = startOperator(world.operator, kind, { identity, haste: HASTE, ...mortality });
    running.push(started);
    return started;
  };

  const relabel = (name: string, value: string) =>
    client.patch(nodes, name, { type: "merge", body: { metadata: { labels: { [SCOPE]: value } } } });

  const change = (spec: JsonObject) => client.patch(modules, "default/driver", { type: "merge", body: { spec } });

  const reached = (name: string, picture: Partial<ModulePicture>) =>
    eventually(
      `Module ${name} is ${JSON.stringify(picture)}`,
      async () => {
        const now = await modulePicture(client, name);
        const isThere = Object.entries(picture).every(([part, value]) =>
          matches(now[part as keyof ModulePicture], value),
        );
        if (!isThere) throw new Error(JSON.stringify(now));
        return now;
      },
      SOON,
    );

  /** What every node should show; `more` says which nodes are otherwise. */
  const fitted = (tag: string, more: Readonly<Record<string, string | undefined>> = {}) => {
    const lines = names.flatMap((name, index): readonly [string, string][] => {
      const line = name in more ? more[name] : lineOf(kernelOf(index), tag);
      return line === undefined ? [] : [[name, line]];
    });
    return Object.fromEntries(lines);
  };
  /** One node of the fleet has a kernel that nobody has mapped. */
  const isFitted = { Ready: "False KernelUnmapped", RolledOut: "True RolloutComplete", Stalled: "False Succeeded" };

  test("a new Module: one DaemonSet per mapped kernel, a driver on each of its nodes, then silence", async () => {
    const { writes } = operate();
    await client.create(modules, aSimulatedModule("v1"));
    await reached("driver", {
      nodes: fitted("v1"),
      kernels: [EL9, UBUNTU],
      conditions: { ...isFitted, Mapped: "False KernelUnmapped" },
    });
    await quiet();
    const written = writes.length;
    await quiet();
    expect(writes.slice(written)).toEqual([]);
  });

  test("a new image is rolled out node by node", async () => {
    operate();
    await client.create(modules, aSimulatedModule("v1"));
    await reached("driver", { nodes: fitted("v1") });
    await change(aSimulatedModule("v2").spec);
    await reached("driver", { nodes: fitted("v2"), conditions: isFitted });
  });

  test("a node that reboots into another kernel gets the driver of that kernel; one without a mapping gets none", async () => {
    operate();
    await client.create(modules, aSimulatedModule("v1"));
    await reached("driver", { nodes: fitted("v1") });
    world.kubelets.reboot("node-001", { kernel: UBUNTU });
    world.kubelets.reboot("node-002", { kernel: UNMAPPED });
    world.kubelets.reboot("node-003", { kernel: EL9 });
    const nodesNow = fitted("v1", {
      "node-001": lineOf(UBUNTU, "v1"),
      "node-002": undefined,
      "node-003": lineOf(EL9, "v1"),
    });
    await reached("driver", { nodes: nodesNow, conditions: isFitted });
  });

  test("a node that leaves the scope loses its driver and every label of it", async () => {
    operate();
    await client.create(modules, aSimulatedModule("v1"));
    await reached("driver", { nodes: fitted("v1") });
    await relabel("node-001", "no");
    await reached("driver", { nodes: fitted("v1", { "node-001": undefined }) });
    const left = Object.keys((await client.get(nodes, "node-001"))?.metadata.labels ?? {});
    expect(left.filter((key) => key.startsWith("kmm.") || key.startsWith("module."))).toEqual([]);
  });

  test("a device plugin runs where the driver is ready", async () => {
    operate();
    const devicePlugin = { container: { image: "registry.example.com/plugin:v1" } };
    await client.create(modules, aSimulatedModule("v1", { devicePlugin }));
    const withPlugin = Object.entries(fitted("v1")).map(([name, line]) => [name, `${line} plugin:v1`]);
    await reached("driver", { nodes: Object.fromEntries(withPlugin), kernels: [EL9, UBUNTU, "plugin"] });
  });

  test("a KMM manifest does what KMM's first version did with it", async () => {
    operate();
    await client.create(modules, kmmSample());
    const line = (kernel: string) => `${kernel} ready driver:${kernel}`;
    await reached("driver", { nodes: Object.fromEntries(names.map((name, index) => [name, line(kernelOf(index))])) });
  });

  test("a DaemonSet that KMM made for the Module is adopted, although its fields are another's", async () => {
    const { metadata } = await client.create(modules, aSimulatedModule("v1"));
    await client.create(daemonSets, kmmDaemonSet(metadata.uid ?? ""));
    await label("node-001", EL9);
    await eventually("KMM's pod runs", async () => (await modulePicture(client, "driver")).nodes["node-001"], SOON);
    operate();
    await reached("driver", { nodes: fitted("v1"), conditions: isFitted });
    // Those of a Module that went before may not be collected yet.
    const { items } = await client.list(daemonSets);
    const ours = items.filter((set) => set.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const sets = ours.map((set) => set.metadata.name);
    expect(sets).toContain("driver-x7k2p");
    expect(sets).toHaveLength(2);
    await label("node-001", null);
  });

  test("processes that are killed at every single write bring three stories to the same end", {
    timeout: 600_000,
  }, async () => {
    /** Lets process after process die at its first write, and tells what those were. */
    const dieUntil = async (isDone: () => boolean): Promise<readonly string[]> => {
      const lastWrites: string[] = [];
      for (let process = 0; process < PROCESSES_MAX && !isDone(); process++) {
        // An event is told before the status: if every process died of it, nobody would ever come to the status.
        const { life, writes } = operate({ diesAtWrite: 1, outlivesEvents: process % 2 === 1 });
        const isDead = () => life.signal.aborted || isDone() || undefined;
        await eventually("the process has died", isDead, { deadlineMs: IDLE_MS }).catch(() => undefined);
        if (life.signal.aborted) lastWrites.push(...writes);
        life.abort(new Error("killed"));
      }
      return lastWrites;
    };
    const story = async (begin: () => Promise<unknown>, end: Partial<ModulePicture>) => {
      await begin();
      let isDone = false;
      const [lastWrites] = await Promise.all([
        dieUntil(() => isDone),
        reached("driver", end).finally(() => {
          isDone = true;
        }),
      ]);
      for (const { life } of running.splice(0)) life.abort();
      return countsOf(lastWrites);
    };
    const after = (tag: string) => fitted(tag, { "node-001": lineOf(UBUNTU, tag) });
    // Each of these writes was the last that some process ever did: the binding and the readiness of four nodes; the old binding of one, its
    // new one and its readiness; the pods of four nodes, where readiness may stay, since the next process may have seen nothing of the change.
    const created = await story(() => client.create(modules, aSimulatedModule("v1")), {
      ...{ nodes: fitted("v1"), conditions: isFitted },
    });
    expect([atLeast(created["PATCH daemonsets"], 2), atLeast(created["PATCH nodes"], 8)]).toEqual([true, true]);
    const upgraded = await story(async () => world.kubelets.reboot("node-001", { kernel: UBUNTU }), {
      ...{ nodes: after("v1"), conditions: isFitted },
    });
    expect(atLeast(upgraded["PATCH nodes"], 3)).toBe(true);
    const updated = await story(() => change(aSimulatedModule("v2").spec), {
      ...{ nodes: after("v2"), conditions: isFitted },
    });
    expect([atLeast(updated["PATCH daemonsets"], 2), atLeast(updated["DELETE pods"], 4)]).toEqual([true, true]);
  });

  test("Modules are left to KMM while its manager renews its Lease, unless they are taken over", async () => {
    const kind = createModuleKind({ planBuilds });
    const { clock, rand } = world.operator;
    const metadata = { namespace: "kmm-operator-system", name: "kmm.sigs.x-k8s.io" };
    const spec = { holderIdentity: "kmm-0", leaseDurationSeconds: 3_600, renewTime: microTime(clock.wallMs()) };
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: metadata.namespace } });
    await client.create(leases, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
    const rivals = new RivalWatch({ ...{ kinds: [kind], clock, rand, log: logToList().log } });
    const { life, writes } = operate({ rivals }, kind);
    await client.create(modules, aSimulatedModule("v1"));
    const told = await eventually(
      "the Module is told who has it",
      async () => {
        const { items } = await client.list(events, { namespace: "default" });
        return items.find(({ reason }) => reason === "OtherControllerActive")?.message;
      },
      SOON,
    );
    expect(told).toContain('KMM is at work: "kmm-0" renews Lease kmm-operator-system/kmm.sigs.x-k8s.io');
    expect(writes.filter((write) => !write.includes("/events"))).toEqual([]);
    life.abort();
    operate();
    await reached("driver", { nodes: fitted("v1"), conditions: isFitted });
    await client.remove(leases, `${metadata.namespace}/${metadata.name}`);
  });

  const label = (name: string, value: string | null) =>
    client.patch(nodes, name, {
      type: "merge",
      body: { metadata: { labels: { "kmm.node.kubernetes.io/kernel-version.full": value } } },
    });
  const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));
});

function atLeast(count: number | undefined, least: number): boolean {
  return (count ?? 0) >= least;
}

/** `PATCH nodes`, with how often. */
function countsOf(writes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const write of writes) {
    const [method, path = ""] = write.split(" ");
    const [, plural = path] = /\/(nodes|daemonsets|pods|modules)\//.exec(`${path}/`) ?? [];
    const what = `${method} ${plural}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

function lineOf(kernel: string, tag: string): string | undefined {
  if (kernel === UNMAPPED) return undefined;
  return `${kernel} ready driver-${kernel === EL9 ? "el9" : "ubuntu"}:${tag}`;
}

/** As in KMM's documents: one mapping for all kernels, with the kernel in the tag. */
function kmmSample() {
  const { kernelMappings: _, driverContainer: __, ...spec } = aSimulatedModule("v1").spec;
  const container = {
    modprobe: { moduleName: "my_kmod", dirName: "/opt", parameters: ["param=1"], firmwarePath: "/firmware" },
    imagePullPolicy: "Always",
    kernelMappings: [{ regexp: "^.+$", containerImage: `registry.example.com/driver:\${KERNEL_FULL_VERSION}` }],
    inTreeModulesToRemove: ["old_kmod"],
  };
  return { ...aSimulatedModule("v1"), spec: { ...spec, moduleLoader: { container, serviceAccountName: "default" } } };
}

/** What KMM's first version left for EL9, controlled by the Module. */
function kmmDaemonSet(uid: string) {
  const labels = {
    "kmm.node.kubernetes.io/module.name": "driver",
    "kmm.node.kubernetes.io/kernel-version.full": EL9,
    "kmm.node.kubernetes.io/role": "module-loader",
  };
  const owner = { apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", name: "driver", uid, controller: true };
  const nodeSelector = { [SCOPE]: "yes", "kmm.node.kubernetes.io/kernel-version.full": EL9 };
  const containers = [{ name: "module-loader", image: "registry.example.com/driver-el9:v0" }];
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
    metadata: { name: "driver-x7k2p", namespace: "default", labels, ownerReferences: [owner] },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { nodeSelector, containers } } },
  };
}

/** Whether a part of the picture is as wanted; of conditions only those that are named. */
function matches(now: unknown, wanted: unknown): boolean {
  if (JSON.stringify(now) === JSON.stringify(wanted)) return true;
  const isConditions = typeof wanted === "object" && wanted !== null && "Ready" in wanted;
  if (!isConditions || typeof now !== "object" || now === null) return false;
  const there = new Map(Object.entries(now));
  return Object.entries(wanted).every(([type, value]) => there.get(type) === value);
}
