// What Kubernetes' own controllers, schedulers and kubelets make of a cluster on paper, all at once and without trouble: DaemonSets get their
// revisions, pods and counts, pods run and are ready, builds succeed.

import { timestamp } from "../../core/decision/conditions.ts";
import { countIn, textIn } from "../../core/decision/object-identity.ts";
import { controllerRevisionHash, controllerRevisionName } from "../../core/hash/controller-revision-hash.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { Workload } from "../../core/rollout/workload.ts";
import { compileDaemonEligibility, matchDaemonEligibility } from "../../core/scheduling/daemon-eligibility.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import { objectAt } from "../schema/json-parts.ts";
import type { PaperCluster } from "./paper-cluster.ts";
import { keyOf } from "./paper-shelf.ts";

const HASH = "controller-revision-hash";

/** Lets everybody else in the cluster do what there is to do. */
export function settlePaper(cluster: PaperCluster, nowMs: number): void {
  for (const workload of cluster.workloads.values()) settleWorkload(cluster, workload, nowMs);
  for (const pod of cluster.pods.takeFresh()) startPod(cluster, pod, nowMs);
  for (const { object } of cluster.shelf("Job").values()) {
    if (objectAt(object, "spec").suspend !== true && countIn(objectAt(object, "status").succeeded) === 0) {
      cluster.shelf("Job").put({ ...object, status: doneJob(nowMs) });
    }
  }
}

function settleWorkload(cluster: PaperCluster, workload: Workload, nowMs: number): void {
  const template = objectAt(workload.spec, "template");
  const hash = currentHash(cluster, workload, template, nowMs);
  const eligibility = compileDaemonEligibility(template.spec, { comparisonOperators: true });
  const byNode = Map.groupBy(cluster.podsOf(workload.uid), (pod) => pod.node);
  let desired = 0;
  for (const node of cluster.nodes) {
    const { shouldRun, shouldContinueRunning } = matchDaemonEligibility(eligibility, node);
    const pods = byNode.get(node.name) ?? [];
    if (shouldRun) desired += 1;
    if (shouldRun && pods.length === 0) cluster.make(podBody(workload, template, node, hash), nowMs);
    if (!shouldContinueRunning) for (const pod of pods) cluster.remove(cluster.pods, keyOf(pod));
  }
  reportWorkload(cluster, workload, desired, hash);
}

/** The hash of the template's revision, which is made if there is none. */
function currentHash(cluster: PaperCluster, workload: Workload, template: JsonObject, nowMs: number): string {
  const revisions = cluster.ownedBy(workload.uid, "ControllerRevision");
  const { $patch: _, ...plain } = template;
  const wanted = canonicalJson(plain);
  const found = revisions.find(({ object }) => {
    const { $patch: _, ...held } = objectAt(objectAt(objectAt(object, "data"), "spec"), "template");
    return canonicalJson(held) === wanted;
  });
  if (found !== undefined) return textIn(found.labels[HASH]);
  const recording = { spec: { template: { ...plain, $patch: "replace" } } };
  const hash = controllerRevisionHash(canonicalJson(recording), revisions.length);
  const { namespace, name } = workload;
  const revision = 1 + revisions.reduce((max, { object }) => Math.max(max, countIn(object.revision)), 0);
  cluster.make(
    {
      ...{ apiVersion: "apps/v1", kind: "ControllerRevision", data: recording, revision },
      metadata: {
        ...{ name: controllerRevisionName(name, hash), namespace, ownerReferences: [controller(workload)] },
        labels: { [HASH]: hash },
      },
    },
    nowMs,
  );
  return hash;
}

function podBody(workload: Workload, template: JsonObject, { name: nodeName }: NodeFacts, hash: string): JsonObject {
  const { labels, annotations } = objectAt(template, "metadata");
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: `${workload.name}-on-${nodeName}`, namespace: workload.namespace, annotations: annotations ?? {} },
      labels: { ...(isJsonObject(labels) ? labels : {}), [HASH]: hash },
      ownerReferences: [controller(workload)],
    },
    spec: { ...objectAt(template, "spec"), nodeName },
  };
}

function reportWorkload(cluster: PaperCluster, workload: Workload, desired: number, hash: string): void {
  const pods = cluster.podsOf(workload.uid);
  const updated = pods.filter((pod) => pod.labels[HASH] === hash).length;
  const status = {
    ...{
      observedGeneration: workload.generation,
      desiredNumberScheduled: desired,
      currentNumberScheduled: pods.length,
    },
    ...{
      numberMisscheduled: 0,
      updatedNumberScheduled: updated,
      numberReady: pods.length,
      numberAvailable: pods.length,
    },
  };
  const object = cluster.workloads.object(keyOf(workload));
  if (object === undefined || canonicalJson(status) === canonicalJson(object.status ?? {})) return;
  cluster.workloads.put({ ...object, status });
}

/** A pod that is new or was changed runs, with the images that it should have, and is ready. */
function startPod(cluster: PaperCluster, pod: DaemonPod, nowMs: number): void {
  const object = cluster.pods.object(keyOf(pod));
  if (object === undefined) return;
  const spec = objectAt(object, "spec");
  const before = objectAt(object, "status");
  const containerStatuses = listOf(spec.containers).map((container) => runningContainer(container, before, nowMs));
  const hasNews = canonicalJson(containerStatuses) !== canonicalJson(listOf(before.containerStatuses));
  if (pod.readySinceMs !== undefined && !hasNews) return;
  const gatesShut = pod.gates.some(({ condition }) => condition?.isTrue !== true);
  const ready = { type: "Ready", status: gatesShut ? "False" : "True", lastTransitionTime: timestamp(nowMs) };
  const others = listOf(before.conditions).filter(
    (condition) => !isJsonObject(condition) || condition.type !== "Ready",
  );
  const status = { phase: "Running", conditions: [...others, ready], containerStatuses };
  cluster.pods.put(mergeObject({ ...object, status }, { spec: { nodeName: pod.node } }));
}

function runningContainer(container: Json, status: JsonObject, nowMs: number): JsonObject {
  const { name = "", image = "", resources = {} } = isJsonObject(container) ? container : {};
  const before = listOf(status.containerStatuses).find((each) => isJsonObject(each) && each.name === name);
  const known = isJsonObject(before) ? before : {};
  if (known.image === image && canonicalJson(known.resources ?? {}) === canonicalJson(resources)) return known;
  const imageID = known.image === image ? (known.imageID ?? "") : `on-paper://${textIn(image)}`;
  const startedAt = timestamp(nowMs);
  return {
    ...{ name, image, imageID, containerID: `on-paper://${textIn(name)}-${startedAt}`, resources, ready: true },
    ...{ state: { running: { startedAt } } },
  };
}

function doneJob(nowMs: number): JsonObject {
  const at = timestamp(nowMs);
  const conditions = [{ type: "Complete", status: "True", lastTransitionTime: at }];
  return { succeeded: 1, startTime: at, completionTime: at, conditions };
}

function controller({ name, uid }: Workload): JsonObject {
  return { apiVersion: "apps/v1", kind: "DaemonSet", name, uid, controller: true, blockOwnerDeletion: true };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}
