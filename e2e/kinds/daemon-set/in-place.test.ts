// Updates in place on a real control plane: resources through the resize subresource, containers in the order of their priority, and
// an image that nobody can pull, taken back.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  aPatch,
  aSet,
  nodes,
  pods,
  SET_NAME,
  SIZE_LABEL,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseDaemonPod } from "../../../src/core/pod/daemon-pod.ts";
import { DEFAULT_GATES } from "../../../src/kinds/daemon-set/api/gates.ts";
import { closeGateStep } from "../../../src/kinds/daemon-set/in-place/in-place-gate.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

const SOON = { deadlineMs: 60_000, everyMs: 200 };
const KEY = `default/${SET_NAME}`;
const NODES = 3;
const gates = { ...DEFAULT_GATES, InPlaceWorkloadVerticalScaling: true };
const updateStrategy = { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 } };

type Container = {
  readonly name: string;
  readonly image: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly priority?: string;
};

function templateOf(...containers: readonly Container[]): JsonObject {
  return {
    metadata: { labels: { app: SET_NAME } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: containers.map(({ name, image, cpu, memory = "64Mi", priority }) => ({
        ...{ name, image: `registry.example.com/${image}` },
        ...(cpu === undefined ? {} : { resources: { requests: { cpu, memory }, limits: { memory } } }),
        ...(priority === undefined ? {} : { env: [{ name: "KRUISE_CONTAINER_PRIORITY", value: priority }] }),
      })),
    },
  };
}

describeWith("controllers", "updates in place on a real control plane", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, NODES);
    client = cluster.client;
    cluster.operate({ gates, canShrinkMemory: true });
  });
  afterEach(() => cluster.clean());
  afterAll(() => cluster?.stop());

  const podsOf = () => cluster.pods();
  const identities = () => cluster.identities();
  const edit = (spec: JsonObject) => client.patch(sets, KEY, { type: "merge", body: { spec } });
  const statusesOf = async () => JSON.stringify((await podsOf()).map(({ status }) => status?.containerStatuses));
  const specsOf = async () => (await podsOf()).map(({ spec }) => JSON.stringify(spec?.containers));

  const rolledOut = () =>
    eventually(
      "the newest generation is rolled out",
      async () => {
        const { status = {}, metadata } = (await client.get(sets, KEY)) ?? {};
        const isSeen = status.observedGeneration === metadata?.generation;
        const isDone = status.updatedNumberScheduled === NODES && status.numberAvailable === NODES;
        if (!isSeen || !isDone) throw new Error(JSON.stringify(status));
        return true;
      },
      SOON,
    );

  test("amounts of cpu are changed through the resize subresource, and no container restarts", async () => {
    await client.create(
      sets,
      aSet({ updateStrategy, patches: [], template: templateOf({ name: "agent", image: "agent:1", cpu: "100m" }) }),
    );
    await rolledOut();
    const before = await identities();
    await edit({ template: templateOf({ name: "agent", image: "agent:1", cpu: "200m" }) });
    await rolledOut();
    expect(await identities()).toEqual(before);
    expect(await specsOf()).toEqual(Array(NODES).fill(expect.stringContaining('"cpu":"200m"')));
    await eventually(
      "the kubelets report the new amounts",
      async () => ((await statusesOf()).includes('"cpu":"100m"') ? undefined : true),
      SOON,
    );
    expect(await statusesOf()).not.toMatch(/"restartCount":[^0]/);
  });

  test("an image and less of everything are changed at once, with one restart", async () => {
    const roomy = { name: "agent", image: "agent:1", cpu: "200m", memory: "200Mi" };
    await client.create(sets, aSet({ updateStrategy, patches: [], template: templateOf(roomy) }));
    await rolledOut();
    const before = await identities();
    await edit({ template: templateOf({ name: "agent", image: "agent:2", cpu: "100m", memory: "100Mi" }) });
    await rolledOut();
    expect(await identities()).toEqual(before);
    expect(await specsOf()).toEqual(Array(NODES).fill(expect.stringMatching(/agent:2.*"memory":"100Mi"/)));
    await eventually(
      "the kubelets report the new amounts",
      async () => ((await statusesOf()).includes('"memory":"200Mi"') ? undefined : true),
      SOON,
    );
    expect((await statusesOf()).match(/"restartCount":\d+/g)).toEqual(Array(NODES).fill('"restartCount":1'));
  });

  test("a patch of amounts resizes the pods of its nodes alone", async () => {
    const template = templateOf({ name: "agent", image: "agent:1", cpu: "100m" });
    await client.create(sets, aSet({ updateStrategy, patches: [], template }));
    await rolledOut();
    const before = await identities();
    const [large] = (await client.list(nodes)).items.map(({ metadata }) => metadata.name);
    await client.patch(nodes, large ?? "", {
      type: "merge",
      body: { metadata: { labels: { [SIZE_LABEL]: "large" } } },
    });
    const containers = [{ name: "agent", resources: { requests: { cpu: "150m" } } }];
    await edit({ patches: [{ ...aPatch("large"), patch: { spec: { containers } } }] });
    await eventually(
      "one pod is resized",
      async () => ((await specsOf()).filter((spec) => spec.includes('"cpu":"150m"')).length === 1 ? true : undefined),
      SOON,
    );
    await rolledOut();
    expect(await identities()).toEqual(before);
    expect(await statusesOf()).not.toMatch(/"restartCount":[^0]/);
  });

  test("containers get their images in the order of their priorities, each once", async () => {
    const template = (tag: string) =>
      templateOf(
        { name: "app", image: `app:${tag}`, priority: "1" },
        { name: "db", image: `db:${tag}`, priority: "9" },
      );
    await client.create(sets, aSet({ updateStrategy, patches: [], template: template("1") }));
    await rolledOut();
    const before = await identities();
    await edit({ template: template("2") });
    await rolledOut();
    expect(await identities()).toEqual(before);
    for (const { metadata, status } of await podsOf()) {
      const record = JSON.parse(metadata.annotations?.["apps.kruise.io/inplace-update-state"] ?? "");
      expect(record.containerBatchesRecord).toMatchObject([{ containers: ["db"] }, { containers: ["app"] }]);
      expect(JSON.stringify(status?.containerStatuses).match(/"restartCount":1/g)).toHaveLength(2);
    }
  });

  test("an image is taken back in the middle of its rollout, and the pods stay", async () => {
    const template = (tag: string) => templateOf({ name: "agent", image: `agent:${tag}` });
    await client.create(sets, aSet({ updateStrategy, patches: [], template: template("1") }));
    await rolledOut();
    const before = await identities();
    await edit({ template: template("2") });
    await eventually(
      "one pod has the new image",
      async () => ((await specsOf()).some((spec) => spec.includes("agent:2")) ? true : undefined),
      SOON,
    );
    await edit({ template: template("1") });
    await rolledOut();
    expect(await identities()).toEqual(before);
    expect(await specsOf()).toEqual(Array(NODES).fill(expect.stringContaining("agent:1")));
  });

  test("a pod that has changed since it was seen is not taken out of service", async () => {
    await client.create(
      sets,
      aSet({ updateStrategy, patches: [], template: templateOf({ name: "agent", image: "agent:1" }) }),
    );
    await rolledOut();
    const [object] = await podsOf();
    if (object === undefined) throw new Error("there is no pod");
    const key = `default/${object.metadata.name}`;
    const { patch } = closeGateStep(parseDaemonPod(object), Date.now(), "a test wants it");
    if (!isJsonObject(patch)) throw new Error("a patch is an object");
    const close = () => client.patch(pods, key, { type: "strategic", body: patch }, { subresource: "status" });
    await client.patch(pods, key, { type: "merge", body: { metadata: { annotations: { seen: "no" } } } });
    await expect(close()).rejects.toMatchObject({ status: 409 });
    const now = await client.get(pods, key);
    expect(now && parseDaemonPod(now).readySinceMs).toBeDefined();
  });
});
