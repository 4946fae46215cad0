// What `plan` prints is what the operator does then, on a real control plane: each change is planned by the command, stored, and followed to
// its end; the audit log and the pods are compared with what was printed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { aPatch, aSet, aTemplate, nodes, SIZE_LABEL } from "../../sim/scenarios/daemon-set/set-fixture.ts";
import { ModelRegistry } from "../../sim/scenarios/module/model-registry.ts";
import {
  aDockerfile,
  aSimulatedModule,
  build,
  configMaps,
  EL9,
  KERNELS,
  SCOPE,
} from "../../sim/scenarios/module/simulated-module.ts";
import type { CliPorts } from "../../src/cli/cli-ports.ts";
import type { PlanReport } from "../../src/cli/output/plan-report.ts";
import { plain } from "../../src/cli/output/print.ts";
import { runCommandLine } from "../../src/cli/program.ts";
import { createOperator } from "../../src/controllers/loop/create-operator.ts";
import { ImageProbes } from "../../src/controllers/registry/probe-images.ts";
import { objectIdentity } from "../../src/core/decision/object-identity.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ALL_DEFINITIONS } from "../../src/kinds/all-definitions.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import { BUILD_SITE } from "../../src/kinds/module/build/build-site.ts";
import { parseBuildTask } from "../../src/kinds/module/build/build-task.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import { csiBaremetalSet } from "../../src/kinds/variant-set/testing/cases.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { logToList } from "../../src/runtime/log/testing/log-to-list.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { images } from "../kinds/variant-set/set-cluster.ts";
import { changesIn, fatesOf, podsMetBy, podsNow } from "./audited-changes.ts";
import { type InstalledCluster, OPERATOR, startInstalledCluster } from "./installed-cluster.ts";

const SOON = { deadlineMs: 90_000, everyMs: 300 };
const NODES = 6;
/** Looks at the audit log that find nothing new of the operator: then it has come to rest. */
const QUIET_LOOKS = 10;

type AnyObject = KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject };
const resourceOf = (group: string, version: string, plural: string, kind: string): Resource<AnyObject> => ({
  ...{ group, version, plural, kind, namespaced: true },
});
const ours = ALL_DEFINITIONS.map(({ names }) =>
  resourceOf(names.group, names.group === "farrier.dev" ? "v1alpha1" : "v1beta1", names.plural, names.kind),
);
const jobs = resourceOf("batch", "v1", "jobs", "Job");
/** A builder whose pods end well after a moment. */
const site = {
  ...BUILD_SITE,
  builder: {
    is: "template",
    template: {
      metadata: { annotations: { "kubelet.farrier.dev/run-ms": "500" } },
      spec: { containers: [{ name: "build", image: "builder:1" }] },
    },
  },
} as const;

describeWith("controllers", "plan, apply, look", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  const life = new AbortController();
  const registry = new ModelRegistry();

  beforeAll(async () => {
    const machines = mixedFleet({ count: NODES, kernels: KERNELS }).map((machine, at) => ({
      ...{ ...machine, arch: "amd64" },
      labels: { ...machine.labels, [SCOPE]: "yes", ...(at < 2 ? { [SIZE_LABEL]: "large" } : {}) },
    }));
    const definitions = ALL_DEFINITIONS.map((source) => JSON.parse(JSON.stringify(customResourceDefinition(source))));
    world = await startInstalledCluster({ binaries, definitions, machines });
    client = world.admin.client;
    // Until then they are tainted, and a plan rightly leaves them out.
    await eventually("every node takes pods", async () => ((await isAnyTainted()) ? undefined : true), SOON);
    await client.create(configMaps, aDockerfile());
    for (const tag of ["v1", "v2"])
      for (const system of ["el9", "ubuntu"])
        registry.push(`registry.example.com/driver-${system}:${tag}`, system + tag);
    const { transport, clock, rand } = world.operator;
    const ports = { identity: "operator", transport, clock, rand, log: logToList().log };
    const probes = new ImageProbes({ ...ports, registry: registry.transport(clock) });
    void createOperator(ports, { kinds: createKinds({ site }), program: "farrier", images: probes }).run(life.signal);
  });
  afterAll(async () => {
    life.abort(new Error("the test is over"));
    await world?.stop();
  });

  const isAnyTainted = async () => (await client.list(nodes)).items.some(({ spec }) => spec?.taints !== undefined);

  /** The command, with its own reading of the cluster. */
  const plan = async (manifest: object): Promise<PlanReport> => {
    let out = "";
    const ports: CliPorts = {
      ...{ out: (text) => (out += text), err: () => undefined, wallMs: () => world.admin.clock.wallMs(), paint: plain },
      readFile: () => Promise.reject(new Error("no file is asked for")),
      listFiles: async (path) => [path],
      readInput: async () => JSON.stringify(manifest),
      connect: async () => ({ client, origin: "e2e", server: "e2e", namespace: "default", close: () => undefined }),
    };
    const options = { version: "e2e", called: "farrier", kinds: createKinds({ site }) };
    const code = await runCommandLine(["plan", "-f", "-", "-o", "json"], options, ports);
    expect(code).toBe(1);
    return JSON.parse(out).plans[0];
  };
  const placeOf = ({ kind }: KubeObject) => {
    const resource = ours.find((each) => each.kind === kind);
    if (resource === undefined) throw new Error(`${kind} is no kind of ours`);
    return resource;
  };
  const store = (manifest: KubeObject) =>
    client.apply(placeOf(manifest), manifest, { fieldManager: "somebody", force: true });
  const stored = (manifest: KubeObject) => client.get(placeOf(manifest), `default/${manifest.metadata.name}`);
  const operatorWrites = () => world.cluster.audit().filter(({ user }) => user === OPERATOR);

  const pushWhatIsBuilt = async () => {
    for (const job of (await client.list(jobs)).items) {
      const object: JsonObject = JSON.parse(JSON.stringify(job));
      const { state, image, uid } = parseBuildTask({ ...objectIdentity(object), object });
      if (state.is === "succeeded") registry.push(image, uid);
    }
  };
  /** Waits until the newest generation is rolled out and the operator has nothing left to write but what it renews. */
  const settled = async (manifest: KubeObject) => {
    let quietLooks = 0;
    let before = -1;
    await eventually(
      `${manifest.kind} ${manifest.metadata.name} is rolled out and nobody writes`,
      async () => {
        await pushWhatIsBuilt();
        const { status, metadata } = (await stored(manifest)) ?? {};
        const isSeen = status?.observedGeneration === metadata?.generation && isRolledOut(status);
        const count = operatorWrites().filter(({ resource: plural }) => plural !== "leases").length;
        quietLooks = isSeen && count === before ? quietLooks + 1 : 0;
        before = count;
        if (quietLooks < QUIET_LOOKS) throw new Error(JSON.stringify(status));
        return true;
      },
      SOON,
    );
  };

  /** Plans, stores and waits; expects what was planned. What happened, for further claims. */
  const happensAsPlanned = async (manifest: KubeObject, prefix: string) => {
    const podsThen = await podsNow(client, prefix);
    const isNew = (await stored(manifest)) === undefined;
    const { changes, pods, isSettled } = await plan(manifest);
    const writesThen = operatorWrites().length;
    await store(manifest);
    await settled(manifest);
    const writes = operatorWrites().slice(writesThen);
    const { order: _, unavailableMax: __, ...planned } = pods;
    const fates = fatesOf(podsThen, await podsNow(client, prefix));
    expect(isSettled).toBe(true);
    const named = changes.map(({ verb, target }) => `${verb} ${target.kind} ${target.name}`).sort();
    const done = changesIn(writes);
    expect(isNew ? done.map(withoutHash).sort() : done).toEqual(named);
    expect(fates).toEqual(planned);
    expect(podsMetBy(writes, "delete")).toBe(planned.replaced + planned.lost);
    return { fates, writes, changes: changesIn(writes) };
  };

  test("a Module is created: two kernels get a DaemonSet and their nodes a label", async () => {
    const { fates, changes } = await happensAsPlanned(aSimulatedModule("v1"), "driver");
    expect(fates).toEqual({ gained: 4, replaced: 0, changedInPlace: 0, lost: 0, untouched: 0 });
    expect(changes.filter((change) => change.startsWith("create DaemonSet"))).toHaveLength(2);
  });

  test("a Module gets another image for one kernel: its nodes move, the others stay", async () => {
    const [el9, ubuntu] = ["v2", "v1"].map((tag) => Object(aSimulatedModule(tag).spec.kernelMappings));
    const kernelMappings = [el9[0], ubuntu[1]];
    const { fates } = await happensAsPlanned(aSimulatedModule("v1", { kernelMappings }), "driver");
    expect(fates).toEqual({ gained: 0, replaced: 2, changedInPlace: 0, lost: 0, untouched: 2 });
  });

  test("a Module that has to be built: the Job first, then the DaemonSet", async () => {
    const kernelMappings = [{ literal: EL9, containerImage: "registry.example.com/built:1", build }];
    const module = { ...aSimulatedModule("v1", { kernelMappings }, "built") };
    const { changes } = await happensAsPlanned(module, "built");
    expect(changes.filter((change) => change.startsWith("build Job"))).toHaveLength(1);
  });

  test("a VariantSet is created, and one of its variants is edited: only its nodes move", async () => {
    const set = (tag: string, variantTag: string) => {
      const { variants } = Object(images(variantTag));
      return Object({ ...csiBaremetalSet(), spec: { ...Object(csiBaremetalSet().spec), ...images(tag), variants } });
    };
    const { fates } = await happensAsPlanned(set("1.2", "1.2"), "csi-baremetal-node");
    const edited = await happensAsPlanned(set("1.2", "1.3"), "csi-baremetal-node");
    expect([fates.gained, fates.replaced]).toEqual([NODES, 0]);
    expect(edited.fates).toMatchObject({ gained: 0, replaced: 2, untouched: NODES - 2 });
  });

  const updateStrategy = (type: string) => ({ rollingUpdate: { rollingUpdateType: type, maxUnavailable: 2 } });
  test("a DaemonSet is created, and its patch is edited: only the nodes that it touches move", async () => {
    const set = (size: string) => aSet({ patches: [aPatch(size)], updateStrategy: updateStrategy("Standard") });
    const created = await happensAsPlanned(set("large"), "agent");
    expect(podsMetBy(created.writes, "create")).toBe(NODES);
    const { fates, writes } = await happensAsPlanned(set("larger"), "agent");
    expect(fates).toEqual({ gained: 0, replaced: 2, changedInPlace: 0, lost: 0, untouched: NODES - 2 });
    expect(podsMetBy(writes, "create")).toBe(2);
  });

  test("a DaemonSet that updates in place gets another image: its pods are patched, and none is deleted", async () => {
    const labels = { app: "in-place" };
    const named = (tag: string) => {
      const template = { ...aTemplate(tag), metadata: { labels } };
      const spec = { selector: { matchLabels: labels }, template, patches: [] };
      return aSet({ ...spec, updateStrategy: updateStrategy("InPlaceIfPossible") }, "in-place");
    };
    await happensAsPlanned(named("1"), "in-place");
    const { fates, writes } = await happensAsPlanned(named("2"), "in-place");
    expect(fates).toEqual({ gained: 0, replaced: 0, changedInPlace: NODES, lost: 0, untouched: 0 });
    expect([podsMetBy(writes, "patch"), podsMetBy(writes, "create")]).toEqual([NODES, 0]);
  });
});

/** What a new object makes is named by a hash of the UID, which nobody knows before the server has given it. */
function withoutHash(change: string): string {
  return change.replace(/^((?:create|build) .*-)[a-z0-9]{24}$/, "$1…");
}

/** Each kind says it by a condition, or by counts. */
function isRolledOut(status: JsonObject | undefined): boolean {
  const conditions = Array.isArray(status?.conditions) ? status.conditions : [];
  return JSON.stringify(conditions).includes('"RolledOut"')
    ? conditions.some((condition) => Object(condition).type === "RolledOut" && Object(condition).status === "True")
    : conditions.some((condition) => Object(condition).type === "Ready" && Object(condition).status === "True");
}
