// Images that are missing are built on a real control plane: its Job controller runs the builds, simulated kubelets end their pods, a
// real registry has what the test pushes in the builder's place, and the operator puts it together.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import {
  EL9,
  type ModuleObject,
  moduleDefinition,
  modules,
  SCOPE,
} from "../../sim/scenarios/module/simulated-module.ts";
import { createOperator } from "../../src/controllers/loop/create-operator.ts";
import { ImageProbes } from "../../src/controllers/registry/probe-images.ts";
import { CONFIG_TEXT_LIMITS } from "../../src/controllers/view/config-texts.ts";
import { TASK_LABEL } from "../../src/core/decision/task.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import { buildOrder } from "../../src/kinds/module/build/build-order.ts";
import { buildPod } from "../../src/kinds/module/build/build-pod.ts";
import { BUILD_SITE, BUILDER_IMAGES, type Builder } from "../../src/kinds/module/build/build-site.ts";
import { parsedModule } from "../../src/kinds/module/testing/module-builders.ts";
import { isForbidden } from "../../src/kube/client/api-error.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { logToList } from "../../src/runtime/log/testing/log-to-list.ts";
import { createNodeRegistry } from "../../src/runtime/node/node-registry.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../program/installed-cluster.ts";
import { pushImage } from "./push-image.ts";
import { ensureRegistry } from "./registry-program.ts";
import { type RunningRegistry, startRegistry } from "./start-registry.ts";

const SOON = { deadlineMs: 90_000, everyMs: 200 };
const LOADERS = "kmm.node.kubernetes.io/role=module-loader";
const REPOSITORY = "team/driver";

type AnyObject = KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject; readonly reason?: string };
const resource = (group: string, plural: string, kind: string): Resource<AnyObject> => ({
  ...{ group, version: "v1", plural, kind, namespaced: true },
});
const jobs = resource("batch", "jobs", "Job");
const pods = resource("", "pods", "Pod");
const daemonSets = resource("apps", "daemonsets", "DaemonSet");
const events = resource("events.k8s.io", "events", "Event");
const configMaps: Resource<ReturnType<typeof aConfigMap>> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};
const namespaces: Resource<KubeObject> = { ...resource("", "namespaces", "Namespace"), namespaced: false };

const aConfigMap = (dockerfile: string): KubeObject & { readonly data: JsonObject } => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dockerfile", namespace: "default" } },
  data: { dockerfile },
});

describeWith("controllers", "builds on a real control plane", (binaries) => {
  let world: InstalledCluster;
  let registry: RunningRegistry;
  let client: Client;
  const running: AbortController[] = [];

  beforeAll(async () => {
    const program = await ensureRegistry();
    const fleet = mixedFleet({ count: 2 });
    const machines = fleet.map((machine) => ({
      ...machine,
      ...{ kernel: EL9, arch: "amd64" },
      labels: { ...machine.labels, [SCOPE]: "yes" },
    }));
    world = await startInstalledCluster({ binaries, definitions: [moduleDefinition()], machines });
    registry = await startRegistry({ program });
    client = world.admin.client;
    await client.create(configMaps, aConfigMap("FROM one"));
  });
  afterEach(async () => {
    for (const life of running.splice(0)) life.abort(new Error("the test is over"));
    for (const { metadata } of (await client.list(modules)).items)
      await client.remove(modules, `default/${metadata.name}`);
    await eventually("the Jobs have gone with their Modules", noJobs, SOON);
  });
  afterAll(async () => {
    await registry?.stop();
    await world?.stop();
  });

  const noJobs = async () => ((await client.list(jobs)).items.length === 0 ? true : undefined);

  /** An operator whose builders end like this. */
  const operate = (behaviour: Readonly<Record<string, string>>) => {
    const life = new AbortController();
    running.push(life);
    const { transport, clock, rand } = world.operator;
    const log = logToList().log;
    const annotations = Object.fromEntries(
      Object.entries(behaviour).map(([key, value]) => [`kubelet.farrier.dev/${key}`, value]),
    );
    const template = {
      metadata: { annotations },
      spec: { containers: [{ name: "build", image: "builder:1", args: ["$(TARGET_IMAGE)"] }] },
    };
    const images = new ImageProbes({
      ...{ clock, rand, log, registry: createNodeRegistry({ allowedNetworks: ["127.0.0.1/32"] }) },
    });
    const site = { ...BUILD_SITE, builder: { is: "template", template } as const };
    const kinds = createKinds({ site }).filter(({ kind }) => kind === "Module");
    const ports = { identity: `operator-${running.length}`, transport, clock, rand, log };
    const limits = { texts: { ...CONFIG_TEXT_LIMITS, presentMs: 500 } };
    void createOperator(ports, { kinds, program: "farrier", images, limits }).run(life.signal);
    return life;
  };

  const aModule = (name: string, build: JsonObject = {}): ModuleObject => ({
    ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", metadata: { name, namespace: "default" } },
    spec: {
      ...{ selector: { [SCOPE]: "yes" }, driverContainer: { args: ["load"] } },
      kernelMappings: [
        { regexp: "^.+$", containerImage: `${registry.host}/${REPOSITORY}:${name}`, registryTLS: { insecure: true } },
      ],
      build: { dockerfileConfigMap: { name: "dockerfile" }, ...build },
    },
  });

  /** The one kernel in the status of a Module, once it is in a state. */
  const kernelIn = (name: string, state: string) =>
    eventually(
      `kernel of ${name} is ${state}`,
      async () => {
        const { status } = (await client.get(modules, `default/${name}`)) ?? {};
        const [kernel] = Array.isArray(status?.kernels) ? status.kernels : [];
        if (kernel?.state !== state) throw new Error(JSON.stringify(kernel));
        return kernel as JsonObject;
      },
      SOON,
    );

  const runningJob = () =>
    eventually(
      "a build runs",
      async () =>
        (await client.list(jobs, { labelSelector: TASK_LABEL })).items.find(({ status }) => status?.active === 1),
      SOON,
    );

  test("a missing image is built, and the driver is deployed when the registry has it", async () => {
    operate({ "run-ms": "3000" });
    await client.create(modules, aModule("a"));
    const job = await runningJob();
    expect(await kernelIn("a", "Building")).toMatchObject({ reason: "BuildRunning" });
    expect((await client.list(daemonSets)).items).toEqual([]);
    const digest = await pushImage({ origin: registry.origin, repository: REPOSITORY, tag: "a" });
    expect(await kernelIn("a", "Ready")).toMatchObject({ digest, nodes: 2, ready: 2 });
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: "Module", name: "a", controller: true }]);
    expect((await client.list(daemonSets)).items).toHaveLength(1);
  });

  test("a build that fails reaches the status with the end of its log, and people by an event; another argument starts anew", async () => {
    operate({ "exit-code": "2", message: "step 3/4\nmake: *** [driver.ko] Error 2" });
    await client.create(modules, aModule("b", { backoffLimit: 0 }));
    const kernel = await kernelIn("b", "Failed");
    expect(kernel).toMatchObject({ reason: "BuildFailed" });
    expect(kernel.message).toMatch(
      /BackoffLimitExceeded.*its log ends:\nstep 3\/4\nmake: \*\*\* \[driver\.ko\] Error 2$/s,
    );
    const told = await eventually(
      "an event tells of it",
      async () => (await client.list(events)).items.find((event) => event.reason === "BuildFailed"),
      SOON,
    );
    expect(told).toMatchObject({ type: "Warning", regarding: { kind: "Module", name: "b" } });
    const [before] = (await client.list(jobs)).items;
    const body = { spec: { build: { buildArgs: [{ name: "FIXED", value: "yes" }] } } };
    await client.patch(modules, "default/b", { type: "merge", body });
    await eventually(
      "another Job has taken its place",
      async () => {
        const names = (await client.list(jobs)).items.map(({ metadata }) => metadata.name);
        return names.length === 1 && names[0] !== before?.metadata.name ? true : undefined;
      },
      SOON,
    );
  });

  test("an edited Dockerfile is built anew under the same name, and replaces what nodes run when it is there", async () => {
    operate({ "run-ms": "2000" });
    await client.create(modules, aModule("e"));
    const first = await runningJob();
    const push = { origin: registry.origin, repository: REPOSITORY, tag: "e" };
    const before = await pushImage(push);
    await kernelIn("e", "Ready");
    const running = async () =>
      (await client.list(pods, { labelSelector: LOADERS })).items.flatMap((pod) =>
        JSON.stringify(pod.spec?.containers ?? []).match(/@(sha256:[a-f0-9]+)/g),
      );
    expect(await running()).toEqual([`@${before}`, `@${before}`]);
    await client.patch(configMaps, "default/dockerfile", { type: "merge", body: { data: { dockerfile: "FROM two" } } });
    const second = await eventually(
      "another build runs",
      async () => {
        const { items } = await client.list(jobs, { labelSelector: TASK_LABEL });
        return items.find(({ status, metadata }) => status?.active === 1 && metadata.uid !== first.metadata.uid);
      },
      SOON,
    );
    expect(JSON.stringify(second.spec)).toContain('"module.farrier.dev/dockerfile":"FROM two"');
    expect(await running()).toEqual([`@${before}`, `@${before}`]);
    const after = await pushImage({ ...push, content: "two" });
    await eventually(
      "both nodes run what was built last",
      async () => ((await running()).every((digest) => digest === `@${after}`) ? true : undefined),
      SOON,
    );
    expect(await kernelIn("e", "Ready")).toMatchObject({ digest: after });
  });

  test("an operator that dies in the middle of a build leaves it to the next one, which makes no second Job", async () => {
    const first = operate({ "run-ms": "4000" });
    await client.create(modules, aModule("c"));
    const job = await runningJob();
    first.abort(new Error("killed"));
    const digest = await pushImage({ origin: registry.origin, repository: REPOSITORY, tag: "c" });
    operate({ "run-ms": "4000" });
    expect(await kernelIn("c", "Ready")).toMatchObject({ digest });
    expect((await client.list(jobs)).items.map(({ metadata }) => metadata.uid)).toEqual([job.metadata.uid]);
  });

  describe("the pods of builders", () => {
    const order = () => {
      const build = { dockerfileConfigMap: { name: "d" }, secrets: [{ name: "s" }], selector: { a: "b" } };
      const object = {
        ...aModule("d", build),
        spec: { ...aModule("d", build).spec, imageRepoSecret: { name: "push" } },
      };
      const module = parsedModule(JSON.parse(JSON.stringify(object)));
      const written = module.driver?.mappings[0]?.build;
      if (written === undefined) throw new Error("the Module has no build");
      const unsafe = { isPlainHttp: true, isAnyCertificateFine: true };
      return buildOrder({ module, kernel: EL9, arch: "amd64" }, written, {
        ...{ image: "r.example.dev/a:1", tls: unsafe, dockerfile: { configMap: "d" } },
      });
    };
    const podOf = (builder: Builder, namespace: string): AnyObject => {
      const { annotations, spec } = buildPod(order(), { ...BUILD_SITE, builder });
      const name = `pod-${builder.is}`;
      return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, annotations }, spec };
    };
    const level = async (enforce: string) => {
      const labels = { "pod-security.kubernetes.io/enforce": enforce };
      await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: enforce, labels } });
      // Its service account comes a moment later, and no pod before it.
      const accounts = resource("", "serviceaccounts", "ServiceAccount");
      await eventually("the service account is there", () => client.get(accounts, `${enforce}/default`), SOON);
      return enforce;
    };

    test("are taken by the API server, kaniko's at the level baseline, and those without root only as privileged", async () => {
      const [privileged, baseline] = [await level("privileged"), await level("baseline")];
      for (const is of ["buildkit", "buildah", "kaniko"] as const) {
        const builder = { is, image: BUILDER_IMAGES[is] };
        await client.create(pods, podOf(builder, privileged));
        const end = await client.create(pods, podOf(builder, baseline)).then(
          () => "created",
          (error: unknown) => (isForbidden(error) ? "refused" : String(error)),
        );
        expect([is, end]).toEqual([is, is === "kaniko" ? "created" : "refused"]);
      }
    });
  });
});
