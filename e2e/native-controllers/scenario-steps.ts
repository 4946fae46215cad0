// What the scenarios do again and again: objects to make, and states to wait for.
import { type ApiObject, DAEMON_SETS, JOBS, PODS } from "../../sim/controllers/api-resources.ts";
import { ANNOTATION_PREFIX } from "../../sim/nodes/behaviour.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import type { OwnerReference, Stored } from "../../src/kube/resource.ts";
import { MAPS } from "./final-state.ts";
import { change, machines, read, type Stage } from "./stage.ts";

/** Rolls a second template out over so many nodes, and waits until it is. */
export async function rollOut(stage: Stage, nodes: number, spec: JsonObject): Promise<void> {
  await stage.kubelets.join(machines(stage, nodes));
  await makeDaemonSet(stage, spec);
  await untilStatus(stage, "the first template is out", ({ numberAvailable }) => numberAvailable === nodes);
  await change(stage, DAEMON_SETS, "agent", { spec: { template: template("v2") } });
  await untilStatus(
    stage,
    "the second template is out",
    (status) =>
      status.observedGeneration === 2 && status.updatedNumberScheduled === nodes && status.numberAvailable === nodes,
  );
}

/** A pod template of one container. */
export function template(version: string, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: "agent" } },
    spec: {
      ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: 5 },
      containers: [{ name: "main", image: `example.org/agent:${version}` }],
      ...spec,
    },
  };
}

/** Makes the scenario's DaemonSet. */
export async function makeDaemonSet(stage: Stage, spec: JsonObject, podSpec: JsonObject = {}): Promise<void> {
  const { namespace } = stage;
  const chosen = template("v1", { nodeSelector: { scenario: namespace }, ...podSpec });
  await stage.client.create(DAEMON_SETS, {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent", namespace } },
    spec: { selector: { matchLabels: { app: "agent" } }, template: chosen, ...spec },
  });
}

/** Makes a pod of its own. */
export async function makePod(
  { client, namespace }: Stage,
  name: string,
  tolerations: readonly JsonObject[],
): Promise<void> {
  const { spec } = template("v1", { nodeSelector: { scenario: namespace }, tolerations });
  await client.create(PODS, {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace } },
    ...(isJsonObject(spec) ? { spec } : {}),
  });
}

/** Makes the scenario's Job; its pods behave as the annotations ask. */
export async function makeJob(
  stage: Stage,
  spec: JsonObject,
  behaviour: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { namespace } = stage;
  const annotations = Object.fromEntries(
    Object.entries(behaviour).map(([key, value]) => [`${ANNOTATION_PREFIX}${key}`, value]),
  );
  const pod = {
    metadata: { annotations },
    spec: {
      ...{ restartPolicy: "Never", automountServiceAccountToken: false, nodeSelector: { scenario: namespace } },
      ...{ terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: "example.org/task:v1" }] },
    },
  };
  await stage.client.create(JOBS, {
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "task", namespace } },
    spec: { template: pod, ...spec },
  });
}

/** Makes a config map with owners that it holds. */
export async function makeMap({ client, namespace }: Stage, name: string, owners: readonly Stored<ApiObject>[] = []) {
  const ownerReferences: readonly OwnerReference[] = owners.map(({ apiVersion, kind, metadata }) => ({
    ...{ apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion: true },
  }));
  const metadata = { name, namespace, ownerReferences };
  return client.create(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
}

/** The pods of the scenario. */
export async function podsOf({ client, namespace }: Stage): Promise<readonly Stored<ApiObject>[]> {
  return (await client.list(PODS, { namespace })).items;
}

/** True for a pod that says it is ready. */
export function isReady({ status }: ApiObject): boolean {
  const conditions = status?.conditions;
  if (!Array.isArray(conditions)) return false;
  return conditions.some((each: JsonObject) => each.type === "Ready" && each.status === "True");
}

/** Deletes the pods of a node. */
export async function deletePodOn(stage: Stage, nodeName: string): Promise<void> {
  for (const { spec = {}, metadata } of await podsOf(stage)) {
    if (spec.nodeName === nodeName) await stage.client.remove(PODS, `${stage.namespace}/${metadata.name}`);
  }
}

/** Waits for a status of the DaemonSet. */
export function untilStatus(stage: Stage, what: string, isSo: (status: JsonObject) => boolean): Promise<void> {
  return stage.until(what, async () => isSo((await read(stage, DAEMON_SETS, "agent"))?.status ?? {}));
}

/** Waits until so many nodes are wanted and ready. */
export function untilReady(stage: Stage, nodes: number): Promise<void> {
  return untilStatus(
    stage,
    `${nodes} pods are ready`,
    ({ numberReady, desiredNumberScheduled }) => numberReady === nodes && desiredNumberScheduled === nodes,
  );
}

/** Waits for a condition of the Job. */
export function untilCondition(stage: Stage, type: string): Promise<void> {
  return stage.until(`the job is ${type}`, async () => {
    const conditions = (await read(stage, JOBS, "task"))?.status?.conditions;
    return (
      Array.isArray(conditions) && conditions.some((each: JsonObject) => each.type === type && each.status === "True")
    );
  });
}
