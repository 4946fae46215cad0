// The advanced DaemonSet with exactly the rights of the installed role: disruption budgets that count its pods, pods that it adopts, and
// what people and figures are told when the server refuses some.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { aSet, nodes, pods, SET_NAME, SIZE_LABEL, sets } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { KIND_LIMITS } from "../../../src/controllers/loop/run-kind.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { createMetrics, type Metrics } from "../../../src/runtime/metrics/metrics.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

const SOON = { deadlineMs: 60_000, everyMs: 500 };
const KEY = `default/${SET_NAME}`;
const NODES = 4;

type AnyObject = KubeObject & JsonObject;
const anyOf = (group: string, plural: string, kind: string): Resource<AnyObject> => ({
  ...{ group, version: "v1", plural, kind, namespaced: true },
});
const budgets = anyOf("policy", "poddisruptionbudgets", "PodDisruptionBudget");
const quotas = anyOf("", "resourcequotas", "ResourceQuota");
const events = anyOf("", "events", "Event");

describeWith("controllers", "the advanced DaemonSet with the installed rights", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;
  let metrics: Metrics;
  let names: readonly string[];

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, NODES);
    client = cluster.client;
    names = cluster.nodeNames;
    metrics = createMetrics("farrier");
    // What is refused is tried again after a minute; here sooner.
    const limits = { kind: { ...KIND_LIMITS, stalledMs: 1_000 } };
    cluster.operate({}, { metrics, limits });
  });
  afterEach(() => cluster.clean());
  afterAll(() => cluster?.stop());

  const podsOf = () => cluster.pods();
  const theSet = async () => (await client.get(sets, KEY)) ?? aSet();
  const until = (what: string, holds: () => Promise<boolean>) =>
    eventually(what, async () => ((await holds()) ? true : undefined), SOON);
  const runs = () => until("every node has a pod", async () => (await theSet()).status?.numberAvailable === NODES);
  const taint = (name: string, taints: JsonObject["taints"]) =>
    client.patch(nodes, name, { type: "merge", body: { spec: { taints } } });
  const figure = async (name: string) => (await metrics.registry.getSingleMetricAsString(name)).split("\n");

  test("pods without an owner are adopted, and none of them restarts", async () => {
    await client.create(sets, aSet());
    await runs();
    const before = (await podsOf()).map(({ metadata }) => metadata.uid).sort();
    for (const { metadata } of await podsOf()) {
      const body = { metadata: { ownerReferences: null } };
      await client.patch(pods, `default/${metadata.name}`, { type: "merge", body });
    }
    await until("all have an owner again", async () =>
      (await podsOf()).every(({ metadata }) => metadata.ownerReferences?.length === 1),
    );
    expect((await podsOf()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  test("pods that the server refuses are told in its words and counted, and come when it lets them", async () => {
    for (const name of names) {
      await client.patch(nodes, name, { type: "merge", body: { metadata: { labels: { [SIZE_LABEL]: "large" } } } });
    }
    await client.create(quotas, {
      ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "none", namespace: "default" } },
      spec: { hard: { pods: "0" } },
    });
    await until("the quota counts", async () =>
      JSON.stringify((await client.get(quotas, "default/none"))?.status ?? {}).includes('"hard"'),
    );
    await client.create(sets, aSet());
    await until("people are told", async () => {
      const told = (await client.list(events, { namespace: "default" })).items;
      return told.some(({ reason, message }) => reason === "FailedCreate" && `${message}`.includes("exceeded quota"));
    });
    expect(await figure("daemonset_patches_errors_total")).toContainEqual(
      expect.stringMatching(/namespace="default",daemonset="agent",result="refused"\} [1-9]/),
    );
    await client.remove(quotas, "default/none");
    await runs();
    expect(await figure("daemonset_patches_applied_total")).toContainEqual(
      expect.stringMatching(/namespace="default",daemonset="agent",result="created"\} [1-9]/),
    );
  });

  test("a disruption budget in percent knows how many pods there should be", async () => {
    await client.create(sets, aSet({ replicas: 0 }));
    await client.create(budgets, {
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "half", namespace: "default" } },
      spec: { minAvailable: "50%", selector: { matchLabels: { app: SET_NAME } } },
    });
    let touches = 0;
    const budget = async () => JSON.stringify((await client.get(budgets, "default/half"))?.status);
    const told = (expected: number, healthy: number) =>
      eventually(
        `the budget expects ${expected} pods`,
        async () => {
          const text = await budget();
          // The controller manager learns of new kinds every half minute, and looks again at a budget that is touched.
          touches += 1;
          const body = { metadata: { annotations: { "example.org/touched": `${touches}` } } };
          await client.patch(budgets, "default/half", { type: "merge", body });
          if (text.includes(`"expectedPods":${expected}`) && text.includes(`"desiredHealthy":${healthy}`)) return true;
          throw new Error(text);
        },
        SOON,
      );
    await runs();
    await told(NODES, 2);
    expect((await theSet()).spec?.replicas).toBe(NODES);
    const [first = ""] = names;
    await taint(first, [{ key: "example.org/away", effect: "NoExecute" }]);
    await told(NODES - 1, 2);
    await taint(first, null);
    await told(NODES, 2);
  });
});
