// A small cluster in virtual time for tests of the model controllers: the embedded API server, the controllers under test, and
// kubelets that do at once whatever a pod's annotations ask. A test states only what matters.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { createClient } from "../../../src/kube/client/create-client.ts";
import { keyOf, type Resource, type Stored } from "../../../src/kube/resource.ts";
import { listAt, textAt } from "../../api-server/api-object.ts";
import { createApiServer } from "../../api-server/api-server.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { seededRand } from "../../seeded-rand.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { type ApiObject, NODES, PODS } from "../api-resources.ts";
import { type ControllerName, type ControllersOptions, startControllers } from "../start-controllers.ts";

/** Between two looks of the kubelets. */
const STEP_MS = 250;
/** What the pods of an image do; all others become ready and run on. */
export type PodFate = "ready" | "unready" | "succeeds" | "fails" | "hangs";

export type World = Awaited<ReturnType<typeof aWorld>>;

export type WorldOptions = Partial<ControllersOptions> & {
  /** How far the picture of the controllers lags behind the server. */
  readonly lagMs?: number;
};

/** Starts a cluster with these controllers. */
export async function aWorld(names: readonly ControllerName[], { lagMs = 0, ...options }: WorldOptions = {}) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn: builtInKinds() });
  const transport = server.transport();
  const client = createClient({ transport, clock, rand: seededRand(2), fieldManager: "test" });
  const counts = { created: 0, deleted: 0 };
  server.onCommit((change) => {
    if (change.table !== "pods") return;
    if (change.type === "ADDED") counts.created += 1;
    if (change.type === "DELETED") counts.deleted += 1;
  });
  const replica = server.replica((_, show) => (lagMs === 0 ? show() : void clock.after(lagMs, show)));
  const late = server.transport(replica);
  const start = (more: Partial<ControllersOptions> = {}) =>
    startControllers({ transport: late, clock, rand: seededRand(3), names, ...options, ...more });
  const running = [start()];
  const fates = new Map<string, PodFate>();
  const list = async (resource: Resource<ApiObject>, namespace?: string) =>
    (await client.list(resource, namespace === undefined ? {} : { namespace })).items;
  const runPods = async () => {
    for (const pod of await list(PODS)) await actAsKubelet(client, pod, fates, clock.wallMs());
  };
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.elapse(Math.min(STEP_MS, left));
      await runPods();
    }
    await clock.settle();
  };
  await clock.elapse(0);
  return {
    ...{ clock, server, client, transport, counts, fates, list, pass },
    pods: (namespace = "default") => list(PODS, namespace),
    get: async (resource: Resource<ApiObject>, key: string) => client.get(resource, key),
    crash: () => running.pop()?.stop(),
    restart: (more: Partial<ControllersOptions> = {}) => void running.push(start(more)),
    node: (name: string, wish: NodeWish = {}) =>
      client.create(NODES, aNode(name, wish)).then(() => ready(client, name, wish)),
    patch: (resource: Resource<ApiObject>, key: string, body: JsonObject, subresource?: string) =>
      client.patch(resource, key, { type: "merge", body }, subresource === undefined ? {} : { subresource }),
  };
}

type Client = ReturnType<typeof createClient>;

export type NodeWish = { readonly labels?: Readonly<Record<string, string>>; readonly taints?: readonly JsonObject[] };

function aNode(name: string, { labels = {} }: NodeWish): ApiObject {
  const metadata = { name, labels: { "kubernetes.io/hostname": name, ...labels } };
  return { apiVersion: "v1", kind: "Node", metadata };
}

/** A kubelet reports its node ready, and the taint that every new node has goes. */
async function ready(client: Client, name: string, { taints = [] }: NodeWish): Promise<void> {
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
  await client.patch(NODES, name, { type: "merge", body: { status: { conditions } } }, { subresource: "status" });
  await client.patch(NODES, name, { type: "merge", body: { spec: { taints } } });
}

async function actAsKubelet(
  client: Client,
  pod: Stored<ApiObject>,
  fates: ReadonlyMap<string, PodFate>,
  nowMs: number,
): Promise<void> {
  const { spec = {}, status = {} } = pod;
  const { uid } = pod.metadata;
  if (textAt(spec, "nodeName") === "") return;
  const [container] = listAt(spec, "containers");
  const fate = fates.get(isJsonObject(container) ? textAt(container, "image") : "") ?? "ready";
  const isEnded = ["Succeeded", "Failed"].includes(textAt(status, "phase"));
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (fate === "hangs") return;
    if (!isEnded && (pod.metadata.finalizers ?? []).length > 0) await report(client, pod, podStatus("fails", nowMs));
    await client.remove(PODS, keyOf(pod), { uid, gracePeriodSeconds: 0 });
    return;
  }
  if (textAt(status, "phase") === "Pending") await report(client, pod, podStatus(fate, nowMs));
}

async function report(client: Client, pod: Stored<ApiObject>, status: JsonObject): Promise<void> {
  await client.patch(PODS, keyOf(pod), { type: "merge", body: { status } }, { subresource: "status" });
}

function podStatus(fate: PodFate, nowMs: number): JsonObject {
  const time = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const phase = { ready: "Running", unready: "Running", hangs: "Running", succeeds: "Succeeded", fails: "Failed" }[
    fate
  ];
  const isReady = fate === "ready" || fate === "hangs";
  const exitCode = fate === "fails" ? 1 : 0;
  const isOver = phase !== "Running";
  const state: Json = isOver
    ? { terminated: { exitCode, reason: "Ended", startedAt: time, finishedAt: time } }
    : { running: { startedAt: time } };
  return {
    phase,
    conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: time }],
    containerStatuses: [
      { name: "main", image: "i", imageID: "", ready: isReady, restartCount: 0, started: !isOver, state },
    ],
  };
}

export const template = (image: string): JsonObject => ({
  metadata: { labels: { app: "agent" } },
  spec: { containers: [{ name: "main", image }] },
});

/** A pod of one container. */
export function aPod(name: string, spec: JsonObject = {}): ApiObject {
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
    spec: { containers: [{ name: "main", image: "v1" }], ...spec },
  };
}

/** The condition of this type, if the object has one. */
export function conditionOf(object: Pick<ApiObject, "status"> | undefined, wanted: string): JsonObject | undefined {
  const conditions = listAt(object?.status ?? {}, "conditions").filter(isJsonObject);
  return conditions.find(({ type }) => type === wanted);
}

/** A DaemonSet of one container. */
export function aDaemonSet(name: string, spec: JsonObject = {}): ApiObject {
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name, namespace: "default" } },
    spec: { selector: { matchLabels: { app: "agent" } }, template: template("v1"), ...spec },
  };
}

/** A Job of one container. */
export function aJob(name: string, image: string, spec: JsonObject = {}): ApiObject {
  const pod = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
  return {
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace: "default" } },
    spec: { template: pod, ...spec },
  };
}
