// Cases of Kubernetes' own tests for DaemonSets, retold for the advanced one on a real control plane; and sets that never passed a webhook
// beside one that works.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  aSet,
  aTemplate,
  nodes,
  pods,
  revisions,
  SET_KEY,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

const SOON = { deadlineMs: 60_000, everyMs: 300 };
const NODES = 3;
const quotas: Resource<KubeObject & { readonly spec: JsonObject }> = {
  ...{ group: "", version: "v1", plural: "resourcequotas", kind: "ResourceQuota", namespaced: true },
};

describeWith("controllers", "native cases of the advanced DaemonSet", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;
  let names: readonly string[];

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, NODES);
    client = cluster.client;
    names = cluster.nodeNames;
    cluster.operate();
  });
  afterEach(async () => {
    for (const name of names) await client.patch(nodes, name, { type: "merge", body: { spec: { taints: null } } });
    await cluster.clean();
  });
  afterAll(() => cluster?.stop());

  const podsOf = () => cluster.pods();
  const uids = async () => (await podsOf()).map(({ metadata }) => metadata.uid).sort();
  const edit = (spec: JsonObject) => client.patch(sets, SET_KEY, { type: "merge", body: { spec } });
  const statusOf = async (key = SET_KEY): Promise<JsonObject> => (await client.get(sets, key))?.status ?? {};
  const counted = (wanted: JsonObject) =>
    eventually(
      `the status says ${JSON.stringify(wanted)}`,
      async () => {
        const [set, status] = [await client.get(sets, SET_KEY), await statusOf()];
        const isSeen = status.observedGeneration === set?.metadata.generation;
        if (!isSeen || Object.entries(wanted).some(([key, value]) => status[key] !== value))
          throw new Error(JSON.stringify(status));
        return status;
      },
      SOON,
    );
  const all = {
    desiredNumberScheduled: NODES,
    updatedNumberScheduled: NODES,
    numberAvailable: NODES,
    numberUnavailable: 0,
  };
  const atOnce = { rollingUpdate: { maxUnavailable: NODES } };

  test("OnDelete updates nothing by itself, and a deleted pod comes back new", async () => {
    await client.create(sets, aSet({ updateStrategy: { type: "OnDelete" } }));
    await counted(all);
    const [pod] = await podsOf();
    await edit({ template: aTemplate("2") });
    await counted({ updatedNumberScheduled: 0, numberAvailable: NODES });
    await client.remove(pods, `default/${pod?.metadata.name}`);
    await counted({ updatedNumberScheduled: 1, numberAvailable: NODES });
  });

  test("a rollback restarts no pod that need not be", async () => {
    await client.create(sets, aSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } }));
    await counted(all);
    const before = await uids();
    // An image that cannot be had: the rollout stops at its first pod.
    const template = {
      ...aTemplate("2"),
      metadata: { labels: { app: "agent" }, annotations: { "kubelet.farrier.dev/fail": "pull" } },
    };
    await edit({ template });
    await eventually(
      "one pod is new",
      async () => ((await uids()).filter((uid) => !before.includes(uid)).length === 1 ? true : undefined),
      SOON,
    );
    await edit({ template: { ...aTemplate("1"), metadata: { labels: { app: "agent" }, annotations: null } } });
    await counted(all);
    expect((await uids()).filter((uid) => before.includes(uid))).toHaveLength(NODES - 1);
    expect((await client.list(revisions, { namespace: "default" })).items.length).toBeGreaterThanOrEqual(2);
  });

  test("a tainted node loses its pod by NoExecute and keeps it by NoSchedule; tolerations bring it back", async () => {
    const [first = "", second = ""] = names;
    await client.create(sets, aSet({ updateStrategy: atOnce }));
    await counted(all);
    const taint = (name: string, effect: string) =>
      client.patch(nodes, name, { type: "merge", body: { spec: { taints: [{ key: "example.org/hold", effect }] } } });
    await taint(first, "NoExecute");
    await taint(second, "NoSchedule");
    await counted({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    const spec = { ...(aTemplate("1").spec as JsonObject), tolerations: [{ operator: "Exists" }] };
    await edit({ template: { ...aTemplate("1"), spec } });
    await counted(all);
  });

  test("a cordoned node keeps its daemon, and a new daemon comes to it", async () => {
    const [first = ""] = names;
    await client.patch(nodes, first, { type: "merge", body: { spec: { unschedulable: true } } });
    await client.create(sets, aSet());
    await counted(all);
    await client.patch(nodes, first, { type: "merge", body: { spec: { unschedulable: null } } });
  });

  test("a status is written although pods are refused, and says why; it heals with the quota", async () => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none", namespace: "default" },
      spec: { hard: { pods: "0" } },
    };
    await client.create(quotas, quota);
    await eventually(
      "the quota counts",
      async () => ((await client.get(quotas, "default/none")) as { status?: JsonObject })?.status?.hard,
      SOON,
    );
    await client.create(sets, aSet());
    const stalled = await eventually(
      "the set is stalled",
      async () => {
        const { conditions, desiredNumberScheduled } = await statusOf();
        const all = (conditions ?? []) as readonly JsonObject[];
        return desiredNumberScheduled === NODES
          ? all.find(({ type, status }) => type === "Stalled" && status === "True")
          : undefined;
      },
      SOON,
    );
    expect(String(stalled.message)).toContain("quota");
    await client.remove(quotas, "default/none");
    await edit({ minReadySeconds: 0 });
    await counted(all);
  });

  test("pods that end are made anew, and so is a whole collection that is deleted", async () => {
    await client.create(sets, aSet());
    await counted(all);
    const before = await uids();
    for (const pod of await podsOf()) {
      const body = { status: { phase: "Succeeded" } };
      await client.patch(pods, `default/${pod.metadata.name}`, { type: "merge", body }, { subresource: "status" });
    }
    await eventually(
      "all pods are others",
      async () => ((await uids()).every((uid) => !before.includes(uid)) ? true : undefined),
      SOON,
    );
    await counted(all);
    await client.remove(sets, SET_KEY);
    expect(await client.get(sets, SET_KEY)).toBeUndefined();
  });

  test("a pod whose labels were taken away stays, and its node gets another", async () => {
    await client.create(sets, aSet());
    await counted(all);
    const [pod] = await podsOf();
    const key = `default/${pod?.metadata.name}`;
    await client.patch(pods, key, { type: "merge", body: { metadata: { labels: { app: "debugged" } } } });
    await eventually(
      "there is one pod more",
      async () => ((await podsOf()).length === NODES + 1 ? true : undefined),
      SOON,
    );
    await counted(all);
    expect((await client.get(pods, key))?.metadata.uid).toBe(pod?.metadata.uid);
  });

  test("sets that never passed a webhook are told what is wrong, and others go on", async () => {
    const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    const selector = { matchLabels: { "kubernetes.io/os": "linux" } };
    const garbage: Readonly<Record<string, JsonObject>> = {
      "nested-400": { spec: deep(400) },
      // Deeper than caches hold an object.
      "nested-5000": { spec: deep(5_000) },
      proto: JSON.parse('{"spec":{"__proto__":{"privileged":true}}}'),
      "no-such-list": { spec: { containers: "agent" } },
    };
    for (const [name, patch] of Object.entries(garbage))
      await client.create(sets, aSet({ patches: [{ selector, patch }] }, name));
    await client.create(sets, aSet());
    await counted(all);
    for (const name of Object.keys(garbage)) {
      const told = await eventually(
        `${name} is told`,
        async () => {
          const conditions = ((await statusOf(`default/${name}`)).conditions ?? []) as readonly JsonObject[];
          const invalid = conditions.find(({ type, status }) => type === "PatchesValid" && status === "False");
          if (invalid === undefined) throw new Error(JSON.stringify(conditions));
          return invalid;
        },
        SOON,
      );
      expect(told.reason).toBe("PatchRejected");
      if (name.startsWith("nested")) expect(told.message).toContain("nests deeper than 64 levels");
    }
    expect(await podsOf()).toHaveLength(NODES);
  });
});
