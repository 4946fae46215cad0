// The cases that Kruise publishes for its DaemonSet, retold step by step as a typed client goes through them, in both versions: the
// program as it is installed, with its role and its webhooks, on a real control plane.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { nodes, olderSets, pods } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { runKubectl } from "../../kubectl/kubectl.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "../../program/operator-process.ts";
import {
  aTypedSet,
  NEW_WEBSERVER,
  nodeOf,
  readyForMs,
  reportedImages,
  type StoredPod,
  typedClient,
  type Version,
  withContainer,
} from "./typed-client.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const SOON = { deadlineMs: 60_000, everyMs: 500 };
const NAME = "e2e-ds";
const NODES = 4;
const COLOUR = "daemonset-color";
const STATE = "lifecycle.apps.kruise.io/state";
const HASH = "controller-revision-hash";
const versions: readonly Version[] = ["v1beta1", "v1alpha1"];

describeWith("controllers", "the published cases of the advanced DaemonSet", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-published-"));
  let world: InstalledCluster;
  let operator: OperatorProcess;
  let client: Client;
  let names: readonly string[];

  beforeAll(async () => {
    world = await startInstalledCluster({ binaries, machines: mixedFleet({ count: NODES }) });
    client = world.admin.client;
    const program = binaries.get("kubectl") ?? "kubectl";
    const kubectl = { program, kubeconfig: world.cluster.kubeconfigFile(), home: folder, folder: ROOT };
    const { code, err } = await runKubectl(kubectl, "apply --server-side -f deploy/farrier.yaml");
    expect([code, err]).toEqual([0, expect.anything()]);
    names = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
    operator = await startOperatorProcess(world.operatorKubeconfig, {
      webhooks: true,
      flags: ["--kinds", "DaemonSet"],
    });
    // The API server hears of webhooks a moment later; from then on it fills in defaults.
    await eventually("webhooks are asked", async () => ((await isFilledIn()) ? true : undefined), SOON);
  });
  afterAll(async () => {
    await operator?.kill();
    await world?.stop();
    rmSync(folder, { recursive: true });
  });

  const isFilledIn = async () => {
    const set = await client.create(olderSets, aTypedSet("v1alpha1", "probe"), { dryRun: true });
    return JSON.stringify(set.spec?.updateStrategy).includes("maxUnavailable");
  };

  describe.each(versions)("%s", (version) => {
    const typed = () => typedClient(client, version, NAME);
    const rolling = (rollingUpdate: JsonObject) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });

    afterEach(async () => {
      for (const name of names) await label(name, { [COLOUR]: null });
      await typed().remove();
      // The collector of Kubernetes learns of new kinds twice a minute; nobody here waits for it.
      for (const pod of await typed().podsOf()) await client.remove(pods, `default/${pod.metadata.name}`);
      await eventually(
        "no pod is left",
        async () => ((await client.list(pods, { namespace: "default" })).items.length === 0 ? true : undefined),
        SOON,
      );
    });

    const label = (name: string, labels: JsonObject) =>
      client.patch(nodes, name, { type: "merge", body: { metadata: { labels } } });
    const runsOn = (wanted: readonly string[]) =>
      eventually(
        `an available pod on each of ${wanted.length} nodes`,
        async () => {
          const places = await typed().availableOn();
          if (places.join() !== wanted.join()) throw new Error(`there are some on ${places.join(", ")}`);
          return true;
        },
        SOON,
      );
    /** What the suite calls the daemon's status. It looks once; a machine under load gets a moment for the second write. */
    const statusIsConsistent = () =>
      eventually(
        "the status counts what is there",
        async () => {
          const { desiredNumberScheduled: desired, currentNumberScheduled, numberReady } = await typed().status();
          return desired === currentNumberScheduled || desired === numberReady ? true : undefined;
        },
        { deadlineMs: 10_000, everyMs: 500 },
      );
    const created = async (spec: JsonObject = {}, podSpec: JsonObject = {}): Promise<readonly StoredPod[]> => {
      await typed().create(aTypedSet(version, NAME, spec, podSpec));
      await runsOn(names);
      await statusIsConsistent();
      return typed().podsOf();
    };
    const imagesAreNew = () =>
      eventually(
        "all containers report the new image",
        async () =>
          (await typed().podsOf()).flatMap(reportedImages).every((image) => image === NEW_WEBSERVER) ? true : undefined,
        SOON,
      );
    const isUpdated = () =>
      eventually(
        "as many pods are updated as are wanted",
        async () => {
          const { observedGeneration, desiredNumberScheduled, updatedNumberScheduled } = await typed().status();
          const isSeen = observedGeneration === (await typed().get()).metadata.generation;
          return isSeen && desiredNumberScheduled === updatedNumberScheduled ? true : undefined;
        },
        SOON,
      );

    test("runs and stops a simple daemon", async () => {
      const [pod] = await created();
      const set = await typed().get();
      expect(set.metadata.generation).toBe(1);
      expect(set.spec).toMatchObject({
        burstReplicas: 50,
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate" },
      });
      await client.remove(pods, `default/${pod?.metadata.name}`);
      await eventually(
        "another pod has come",
        async () =>
          (await typed().podsOf()).every(({ metadata }) => metadata.uid !== pod?.metadata.uid) ? true : undefined,
        SOON,
      );
      await runsOn(names);
    });

    test("runs and stops a complex daemon", async () => {
      const [first = ""] = names;
      await typed().create(aTypedSet(version, NAME, {}, { nodeSelector: { [COLOUR]: "blue" } }));
      await runsOn([]);
      await label(first, { [COLOUR]: "blue" });
      await runsOn([first]);
      await statusIsConsistent();
      await label(first, { [COLOUR]: "green" });
      await runsOn([]);
      const template = { spec: { nodeSelector: { [COLOUR]: "green" } } };
      await typed().mergePatch({ spec: { template, updateStrategy: { type: "RollingUpdate" } } });
      await runsOn([first]);
      await statusIsConsistent();
    });

    test("retries creating failed daemon pods", async () => {
      const [pod] = await created();
      if (pod === undefined) throw new Error("there is no pod");
      const key = `default/${pod.metadata.name}`;
      // As an update of the whole status without a version, which the server takes.
      const body = {
        ...pod,
        metadata: { ...pod.metadata, resourceVersion: undefined },
        status: { ...pod.status, phase: "Failed" },
      };
      const path = `/api/v1/namespaces/default/pods/${pod.metadata.name}/status`;
      const write = { verb: "update", resource: "pods", method: "PUT", path, body, repeatable: false } as const;
      expect((await client.call(write)).status).toBe(200);
      await eventually(
        "the failed pod is gone",
        async () => ((await client.get(pods, key)) === undefined ? true : undefined),
        SOON,
      );
      await runsOn(names);
      expect((await typed().podsOf()).map(({ metadata }) => metadata.name)).not.toContain(pod.metadata.name);
    });

    test("changes images in place", async () => {
      const before = namesOf(await created(rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 5 })));
      await typed().update((podSpec) => withContainer(podSpec, { image: NEW_WEBSERVER }));
      await imagesAreNew();
      const after = await typed().podsOf();
      expect(namesOf(after)).toEqual(before);
      for (const { spec } of after)
        expect(spec?.readinessGates).toContainEqual({ conditionType: "InPlaceUpdateReady" });
    });

    test("updates in place when the image changes, and recreates when others do", async () => {
      const before = namesOf(await created(rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 20 })));
      await typed().update((podSpec) => withContainer(podSpec, { image: NEW_WEBSERVER }));
      await imagesAreNew();
      await isUpdated();
      expect(namesOf(await typed().podsOf())).toEqual(before);
      await typed().update((podSpec) => withContainer(podSpec, { env: [{ name: "foo", value: "bar" }] }));
      await isUpdated();
      await runsOn(names);
      const after = await typed().podsOf();
      expect(namesOf(after).filter((name) => before.includes(name))).toEqual([]);
      for (const { spec, metadata } of after) {
        expect(spec?.readinessGates).toContainEqual({ conditionType: "InPlaceUpdateReady" });
        expect(metadata.labels?.[HASH]).toBe(await typed().hash());
      }
    });

    test("upgrades one by one where a hook before the deletion holds", async () => {
      const hook = { lifecycle: { preDelete: { labelsHandler: { "my-pre-delete": "true" } } } };
      const set = aTypedSet(version, NAME, {
        ...rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 }),
        ...hook,
      });
      const labels = { "daemonset-name": NAME, "my-pre-delete": "true" };
      const template = { ...(set.spec?.template as JsonObject), metadata: { creationTimestamp: null, labels } };
      await typed().create({ ...set, spec: { ...set.spec, template } });
      await runsOn(names);
      const before = namesOf(await typed().podsOf());
      const requests = { requests: { cpu: "120m" } };
      await typed().update((podSpec) =>
        withContainer(podSpec, { resources: requests, env: [{ name: "test", value: "test" }] }),
      );
      await eventually(
        "the second generation is seen",
        async () => ((await typed().status()).observedGeneration === 2 ? true : undefined),
        SOON,
      );
      const hash = await typed().hash();
      const marked = await eventually(
        "one pod is marked",
        async () => onlyOne((await typed().podsOf()).filter(isPreparing)),
        SOON,
      );
      expect(namesOf(await typed().podsOf())).toEqual(before);
      const key = `default/${marked.metadata.name}`;
      await client.patch(pods, key, { type: "strategic", body: { metadata: { labels: { "my-pre-delete": null } } } });
      await eventually(
        "it is gone",
        async () => ((await client.get(pods, key)) === undefined ? true : undefined),
        SOON,
      );
      const isNew = ({ metadata }: StoredPod) => metadata.labels?.[HASH] === hash;
      await eventually(
        "one pod is of the new revision",
        async () => onlyOne((await typed().podsOf()).filter(isNew)),
        SOON,
      );
      expect((await typed().get()).metadata.generation).toBe(2);
    });

    test("surges with a time to be ready for", async () => {
      const minReadySeconds = 10;
      const before = await created({ ...rolling({ maxSurge: "100%", maxUnavailable: 0 }), minReadySeconds });
      expect(before).toHaveLength(NODES);
      await typed().update((podSpec) => withContainer(podSpec, { image: NEW_WEBSERVER }));
      const isOld = ({ metadata }: StoredPod) => before.some((pod) => pod.metadata.name === metadata.name);
      const doubled = await eventually(
        "every node has two",
        async () => listOf(await typed().podsOf(), 2 * NODES),
        SOON,
      );
      expect(doubled.filter(isOld).map(({ metadata }) => metadata.deletionTimestamp)).toEqual(
        Array(NODES).fill(undefined),
      );
      // The suite looks once a second and takes no node whose pod is alone and too young, by its own clock in whole seconds.
      const tooYoung: string[] = [];
      await eventually(
        "every node has its new one alone",
        async () => {
          const byNode = Map.groupBy(await typed().podsOf(), nodeOf);
          const single = [...byNode.values()].filter((there) => there.length === 1).flat();
          const isYoung = (pod: StoredPod) => isOld(pod) || Math.floor(readyForMs(pod) / 1_000) <= minReadySeconds;
          tooYoung.push(...namesOf(single.filter(isYoung)));
          return single.length === NODES ? true : undefined;
        },
        { ...SOON, everyMs: 100 },
      );
      expect(tooYoung).toEqual([]);
    });

    test("updates the others while nodes are not ready and excluded", async () => {
      await created(rolling({ maxUnavailable: 2 }));
      const dark = names.slice(2);
      for (const name of dark) world.kubelets.vanish(name);
      const values = [...dark];
      const nodeSelectorTerms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn", values }] }];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      await typed().update((podSpec) => ({
        ...withContainer(podSpec, { image: NEW_WEBSERVER }),
        affinity: { nodeAffinity },
      }));
      await eventually(
        "the others run the new image, and the pods of the dark nodes are asked to go",
        async () => {
          const [left, kept] = partition(await typed().podsOf(), (pod) => dark.includes(nodeOf(pod)));
          const isDone = kept.length === 2 && kept.every((pod) => reportedImages(pod).includes(NEW_WEBSERVER));
          return isDone && left.every(({ metadata }) => metadata.deletionTimestamp !== undefined) ? true : undefined;
        },
        SOON,
      );
      for (const name of dark) world.kubelets.comeBack(name);
      await runsOn(names.slice(0, 2));
    });
  });

  test("it was never refused anything and never fell", () => {
    expect(operator.said()).not.toMatch(/forbidden|uncaught|unhandled/i);
  });
});

function isPreparing({ metadata }: StoredPod): boolean {
  return metadata.labels?.[STATE] === "PreparingDelete";
}

function namesOf(list: readonly StoredPod[]): readonly string[] {
  return list.map(({ metadata }) => metadata.name).sort();
}

function onlyOne(list: readonly StoredPod[]): StoredPod | undefined {
  return list.length === 1 ? list[0] : undefined;
}

function listOf(list: readonly StoredPod[], length: number): readonly StoredPod[] | undefined {
  return list.length === length ? list : undefined;
}

function partition<T>(list: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [list.filter(isFirst), list.filter((one) => !isFirst(one))];
}
