import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { type ApiNode, type ApiPod, LEASE_NAMESPACE, LEASES, NODES, PODS } from "../../sim/nodes/api-shapes.ts";
import { ANNOTATION_PREFIX } from "../../sim/nodes/behaviour.ts";
import type { Kubelets } from "../../sim/nodes/kubelets.ts";
import type { Client } from "../../src/kube/client/client.ts";
import { type KubeObject, namedKey, type Resource } from "../../src/kube/resource.ts";
import type { Cluster } from "../control-plane/cluster.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { ADMIN, KUBELETS, SCHEDULER } from "../control-plane/users.ts";
import { type ClusterWithNodes, startClusterWithNodes } from "./cluster-with-nodes.ts";

type DaemonSet = KubeObject & {
  readonly spec: unknown;
  readonly status?: { readonly numberReady?: number; readonly observedGeneration?: number };
};
type Job = KubeObject & {
  readonly spec: unknown;
  readonly status?: { readonly succeeded?: number; readonly failed?: number };
};

const DAEMON_SETS: Resource<DaemonSet> = {
  ...{ group: "apps", version: "v1", plural: "daemonsets" },
  kind: "DaemonSet",
  namespaced: true,
};
const JOBS: Resource<Job> = { group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true };

const NODE_COUNT = 20;
const SOON = { deadlineMs: 90_000, everyMs: 100 };
/** Short, so that a lost node is noticed within the patience of a test; long enough for a busy machine. */
const HEARTBEAT = { everyMs: 2_000, graceSeconds: 12 };

const says = (name: string, value: string) => ({ [ANNOTATION_PREFIX + name]: value });
const key = (name: string) => namedKey(name, "default");

function isReady(object: ApiPod | ApiNode | undefined): string | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === "Ready")?.status;
}

describeWith("controllers", "simulated kubelets on a real control plane", (binaries) => {
  let world: ClusterWithNodes;
  let cluster: Cluster;
  let kubelets: Kubelets;
  let client: Client;

  beforeAll(async () => {
    world = await startClusterWithNodes({
      binaries,
      machines: mixedFleet({ count: NODE_COUNT }),
      heartbeat: HEARTBEAT,
    });
    ({ cluster, kubelets } = world);
    client = world.admin.client;
    const template = {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "main", image: "agent:v1" }] },
    };
    await client.create(DAEMON_SETS, {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent", namespace: "default" } },
      spec: { selector: { matchLabels: { app: "agent" } }, template },
    });
    await agentsReady(NODE_COUNT);
  });
  afterAll(() => world?.stop());

  const agentsReady = (count: number) =>
    until(
      `${count} agents are ready`,
      async () => (await client.get(DAEMON_SETS, key("agent")))?.status?.numberReady === count,
    );

  async function until(what: string, claim: () => Promise<boolean>): Promise<void> {
    await eventually(what, async () => ((await claim()) ? true : undefined), SOON);
  }

  async function agentOn(node: string): Promise<ApiPod> {
    const { items } = await client.list(PODS, {
      namespace: "default",
      fieldSelector: `spec.nodeName=${node}`,
      labelSelector: "app=agent",
    });
    const [pod] = items;
    if (pod === undefined) throw new Error(`no agent on ${node}`);
    return pod;
  }

  function createPod(
    name: string,
    wish: { readonly annotations?: Record<string, string>; readonly spec?: object },
  ): Promise<ApiPod> {
    return client.create(PODS, {
      ...{
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default", annotations: wish.annotations ?? {} },
      },
      spec: { containers: [{ name: "main", image: "tool:v1" }], ...wish.spec },
    });
  }

  const podReady = (name: string, status = "True") =>
    until(`pod ${name} is Ready=${status}`, async () => isReady(await client.get(PODS, key(name))) === status);

  test("a DaemonSet has one ready pod on each of twenty nodes, bound by the real scheduler", async () => {
    const { items } = await client.list(PODS, { namespace: "default", labelSelector: "app=agent" });
    expect(new Set(items.map((pod) => pod.spec.nodeName)).size).toBe(NODE_COUNT);
    expect(items.map(isReady)).toEqual(Array(NODE_COUNT).fill("True"));
    const binders = cluster.audit().filter((write) => write.subresource === "binding");
    expect(new Set(binders.map(({ user }) => user))).toEqual(new Set([SCHEDULER.name]));
  });

  test("the nodes tell the kernel, system and architecture of their machines", async () => {
    const { items } = await client.list(NODES);
    const told = items.map(({ status }) => [status?.nodeInfo?.kernelVersion, status?.nodeInfo?.architecture]);
    expect(told).toEqual(mixedFleet({ count: NODE_COUNT }).map(({ kernel, arch }) => [kernel, arch]));
    expect(items.map(isReady)).toEqual(Array(NODE_COUNT).fill("True"));
  });

  test("each node says again and again that it lives, in a lease that goes with it", async () => {
    const lease = namedKey("node-001", LEASE_NAMESPACE);
    const first = await client.get(LEASES, lease);
    expect(first?.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-001" }]);
    await until("the lease is renewed", async () => {
      const now = await client.get(LEASES, lease);
      return now?.spec.renewTime !== first?.spec.renewTime;
    });
  });

  test.each([
    ["succeeds", "0", { succeeded: 1 }],
    ["fails", "3", { failed: 1 }],
  ])("a Job %s with the exit code and message of its pod", async (word, code, expected) => {
    const name = `job-${word}`;
    const annotations = { ...says("exit-code", code), ...says("message", "that is all") };
    const containers = [{ name: "main", image: "tool:v1" }];
    await client.create(JOBS, {
      ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace: "default" } },
      spec: { backoffLimit: 0, template: { metadata: { annotations }, spec: { restartPolicy: "Never", containers } } },
    });
    const settled = async () => {
      const { succeeded = 0, failed = 0 } = (await client.get(JOBS, key(name)))?.status ?? {};
      return succeeded + failed > 0;
    };
    await until(`job ${name} is over`, settled);
    expect((await client.get(JOBS, key(name)))?.status).toMatchObject(expected);
    const { items } = await client.list(PODS, { namespace: "default", labelSelector: `job-name=${name}` });
    expect(items[0]?.status?.containerStatuses?.[0]?.state).toMatchObject({
      terminated: { exitCode: Number(code), message: "that is all" },
    });
  });

  test("an image changed in place restarts the container under the new imageID", async () => {
    await createPod("in-place", {});
    await podReady("in-place");
    const before = (await client.get(PODS, key("in-place")))?.status?.containerStatuses?.[0];
    const body = { spec: { containers: [{ name: "main", image: "tool:v2" }] } };
    await client.patch(PODS, key("in-place"), { type: "strategic", body });
    await until("the new image runs", async () => {
      const pod = await client.get(PODS, key("in-place"));
      const status = pod?.status?.containerStatuses?.[0];
      return status?.restartCount === 1 && status.imageID !== before?.imageID && isReady(pod) === "True";
    });
  });

  test("resources changed in place are told by the container that has them", async () => {
    const requesting = (cpu: string) => [{ name: "main", image: "tool:v1", resources: { requests: { cpu } } }];
    await createPod("resized", { spec: { containers: requesting("100m") } });
    await podReady("resized");
    const body = { spec: { containers: requesting("200m") } };
    await client.patch(PODS, key("resized"), { type: "strategic", body }, { subresource: "resize" });
    await until("the container has them", async () => {
      const status = (await client.get(PODS, key("resized")))?.status?.containerStatuses?.[0];
      return status?.resources?.requests?.cpu === "200m" && status.restartCount === 0;
    });
  });

  test("a pod whose node does not fit it is refused by the kubelet", async () => {
    await createPod("misplaced", { spec: { nodeName: "node-002", nodeSelector: { planet: "mars" } } });
    await until("it has failed", async () => (await client.get(PODS, key("misplaced")))?.status?.phase === "Failed");
    expect((await client.get(PODS, key("misplaced")))?.status).toMatchObject({ reason: "NodeAffinity" });
  });

  test("a readiness gate keeps a pod unready until somebody opens it", async () => {
    await createPod("gated", { spec: { readinessGates: [{ conditionType: "example.org/ok" }] } });
    await until("its containers are ready", async () => {
      const pod = await client.get(PODS, key("gated"));
      return (
        pod?.status?.conditions?.some(({ type, status }) => type === "ContainersReady" && status === "True") ?? false
      );
    });
    expect(isReady(await client.get(PODS, key("gated")))).toBe("False");
    const body = { status: { conditions: [{ type: "example.org/ok", status: "True" }] } };
    await client.patch(PODS, key("gated"), { type: "strategic", body }, { subresource: "status" });
    await podReady("gated");
  });

  test.each([
    ["patient", "999999", 2, 2_000],
    ["quick", "300", 30, 300],
  ])("a %s pod is gone only after its containers have ended", async (name, stopMs, graceSeconds, atLeastMs) => {
    await createPod(name, {
      annotations: says("stop-ms", stopMs),
      spec: { terminationGracePeriodSeconds: graceSeconds },
    });
    await podReady(name);
    await client.remove(PODS, key(name));
    await until(`pod ${name} is gone`, async () => (await client.get(PODS, key(name))) === undefined);
    const deletes = () => cluster.audit().filter((write) => write.verb === "delete" && write.name === name);
    // The log is written a moment after the answer is sent.
    await until("both deletions are recorded", async () => deletes().length > 1);
    expect(deletes().map(({ user }) => user)).toEqual([ADMIN.name, KUBELETS.name]);
    const [asked = 0, confirmed = 0] = deletes().map(({ receivedAt }) => Date.parse(receivedAt));
    expect(confirmed - asked).toBeGreaterThanOrEqual(atLeastMs);
  });

  test("a reboot into another kernel is told by the node, and its pods are restarted", async () => {
    const before = await client.get(NODES, "node-003");
    kubelets.reboot("node-003", { kernel: "6.12.0-next", downMs: 500 });
    await until("the node tells the new kernel", async () => {
      const node = await client.get(NODES, "node-003");
      return node?.status?.nodeInfo?.kernelVersion === "6.12.0-next";
    });
    const after = await client.get(NODES, "node-003");
    expect(after?.status?.nodeInfo?.bootID).not.toBe(before?.status?.nodeInfo?.bootID);
    await until("its agent was restarted", async () => {
      const pod = await agentOn("node-003");
      return pod.status?.containerStatuses?.[0]?.restartCount === 1 && isReady(pod) === "True";
    });
  });

  test("a node that vanishes is lost to the control plane, and found again when it comes back", async () => {
    kubelets.vanish("node-005");
    await until("the node is Unknown", async () => isReady(await client.get(NODES, "node-005")) === "Unknown");
    await until("its agent counts as unready", async () => isReady(await agentOn("node-005")) === "False");
    kubelets.comeBack("node-005");
    await until("the node is Ready", async () => isReady(await client.get(NODES, "node-005")) === "True");
    await until("its agent is Ready", async () => isReady(await agentOn("node-005")) === "True");
    expect((await agentOn("node-005")).status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test("a node that is called lost by mistake says that it lives", async () => {
    const body = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    const lost = await client.patch(NODES, "node-006", { type: "strategic", body }, { subresource: "status" });
    expect(isReady(lost)).toBe("Unknown");
    await until("the node is Ready", async () => isReady(await client.get(NODES, "node-006")) === "True");
  });

  test("pods fail as the test says, and recover when it says so", async () => {
    kubelets.behave((pod) => (pod.key === key("broken") ? { fail: "pull" } : {}));
    await createPod("broken", {});
    await until("the pull fails", async () => {
      const state = (await client.get(PODS, key("broken")))?.status?.containerStatuses?.[0]?.state;
      return state !== undefined && "waiting" in state && state.waiting.reason === "ImagePullBackOff";
    });
    kubelets.behave(() => ({}));
    await podReady("broken");
  });

  test("a machine that leaves takes its node along, joins again, and looks after the pods it finds", async () => {
    await kubelets.leave("node-020");
    expect(await client.get(NODES, "node-020")).toBeUndefined();
    await kubelets.join(mixedFleet({ count: NODE_COUNT }).slice(-1));
    await until("the node is Ready", async () => isReady(await client.get(NODES, "node-020")) === "True");
    const { metadata } = await agentOn("node-020");
    await client.remove(PODS, key(metadata.name));
    await until("another agent is ready there", async () => {
      const pod = await agentOn("node-020");
      return pod.metadata.uid !== metadata.uid && isReady(pod) === "True";
    });
  });

  test("nothing is forgotten when the API server is killed in the middle", async () => {
    const body = { spec: { template: { metadata: { labels: { round: "2" } } } } };
    await client.patch(DAEMON_SETS, key("agent"), { type: "merge", body });
    await cluster.part("kube-apiserver").restart();
    await until("every agent is new and ready", async () => {
      const { items } = await client.list(PODS, { namespace: "default", labelSelector: "app=agent,round=2" });
      return items.length === NODE_COUNT && items.every((pod) => isReady(pod) === "True");
    });
  });
});
