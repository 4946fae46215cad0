// The smallest kind that does what real ones do: it keeps one DaemonSet, writes a label to each node that asks for it, and makes one
// pod per such node, replaced one at a time. Tests of the reconcile loop run it on the embedded and on the real API server.

import { buildConditions, type Claim } from "../../../src/core/decision/conditions.ts";
import { textIn } from "../../../src/core/decision/object-identity.ts";
import { orderPlan } from "../../../src/core/decision/plan.ts";
import type { Snapshot, StoredObject } from "../../../src/core/decision/snapshot.ts";
import { type ApplyStep, type CreateStep, type ObjectRef, type Step, stepId } from "../../../src/core/decision/step.ts";
import { childName } from "../../../src/core/hash/names.ts";
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { NodeFacts } from "../../../src/core/node/node-facts.ts";
import { availableFromMs, type DaemonPod, hasEnded } from "../../../src/core/pod/daemon-pod.ts";
import type { Kind, ObjectName } from "../../../src/kinds/kind.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";

export type ToyObject = KubeObject & { readonly spec: { readonly image: string }; readonly status?: JsonObject };
export const GROUP = "toys.example.dev";
export const toys: Resource<ToyObject> = {
  ...{ group: GROUP, version: "v1", plural: "toys", kind: "Toy", namespaced: true },
};
/** A node with this label wants a toy. */
export const WANTED = `${GROUP}/wanted`;
export const IMAGE = `${GROUP}/image`;
const LABEL_PREFIX = `label.${GROUP}/`;

/** The label that a toy writes. */
export const labelOf = ({ namespace, name }: ObjectName) => `${LABEL_PREFIX}${namespace}.${name}`;

export const toyDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `toys.${GROUP}` },
  spec: {
    ...{
      group: GROUP,
      scope: "Namespaced",
      names: { plural: "toys", singular: "toy", kind: "Toy", listKind: "ToyList" },
    },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

export const aToy = (name: string, image: string, namespace = "default"): ToyObject => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: "Toy", metadata: { name, namespace }, spec: { image } },
});

/** The kind; `mistake` is thrown for objects whose image asks for it. */
export const toyKind: Kind = {
  ...{ group: GROUP, version: "v1", kind: "Toy", plural: "toys", reads: ["daemonsets", "pods"] },
  admit: () => ({ problems: [], warnings: [] }),
  observe: (snapshot, object) => ({
    decide: (nowMs) => ({ plan: orderPlan(decide(snapshot, object, nowMs)), asks: [] }),
    explain: () => undefined,
  }),
  concerns: (_object, was, now) => isWanted(was) !== isWanted(now) || was?.uid !== now?.uid,
  traces: {
    leftOn: (node) =>
      Object.keys(node.labels)
        .filter((key) => key.startsWith(LABEL_PREFIX))
        .map(nameOf),
    clear: (snapshot, gone) => ({ steps: labelSteps(snapshot, gone, undefined, []), held: [] }),
  },
};

function decide(snapshot: Snapshot, object: StoredObject, nowMs: number) {
  const image = imageOf(object);
  if (image === "mistake") throw new Error("the toy kind has a mistake");
  if (object.isLeaving || snapshot.isTerminating(object.namespace)) return { steps: [], held: [] };
  const workload = workloadSteps(snapshot, object, image);
  const after = workload.map(stepId);
  const { steps, ready, lookAgainAtMs } = podSteps(snapshot, object, image, nowMs);
  const status = statusOf(object, { nodes: wantedNodes(snapshot).length, ready, nowMs });
  const isStored = canonicalJson(status) === canonicalJson(object.object.status ?? {});
  const report: Step = { do: "status", target: refOf(object), status, why: "it changed" };
  return {
    steps: [...workload, ...steps, ...labelSteps(snapshot, object, image, after), ...(isStored ? [] : [report])],
    held: [],
    ...(lookAgainAtMs === undefined ? {} : { lookAgainAtMs }),
  };
}

function workloadSteps(snapshot: Snapshot, object: StoredObject, image: string): readonly ApplyStep[] {
  const [workload] = snapshot.workloadsOf(object.uid);
  if (workload?.labels[IMAGE] === image) return [];
  const { namespace, name } = object;
  const labels = { app: `${name}-workload` };
  const body = {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
    metadata: { namespace, name, labels: { [IMAGE]: image }, ownerReferences: [ownerReference(object)] },
    spec: {
      ...{ selector: { matchLabels: labels }, updateStrategy: { type: "OnDelete" } },
      template: {
        metadata: { labels },
        spec: { nodeSelector: { [labelOf(object)]: image }, containers: [{ name: "main", image }] },
      },
    },
  };
  return [{ do: "apply", object: body, why: "it should run this image" }];
}

function podSteps(snapshot: Snapshot, object: StoredObject, image: string, nowMs: number) {
  const pods = snapshot.podsOf(object.uid);
  const nodes = wantedNodes(snapshot).map((node) => ({ node, pods: pods.filter((pod) => pod.node === node.name) }));
  const readyFromMs = (pod: DaemonPod) => availableFromMs(pod, 0) ?? Number.POSITIVE_INFINITY;
  const isReady = (pod: DaemonPod) => readyFromMs(pod) <= nowMs;
  const ready = nodes.filter((one) => one.pods.some(isReady)).length;
  const isOld = (pod: DaemonPod) => !pod.isLeaving && (pod.labels[IMAGE] !== image || hasEnded(pod));
  const missing = nodes.filter((one) => one.pods.length === 0).map(({ node }) => createStep(object, node.name, image));
  const old = nodes.flatMap((one) => one.pods.filter(isOld));
  const free = old.filter((pod) => !isReady(pod));
  // One node at a time: as long as one is not ready, no other may be taken down.
  const moved = ready === nodes.length ? old.filter(isReady).slice(0, 1) : [];
  const names = new Set(nodes.map(({ node }) => node.name));
  const strays = pods.filter((pod) => !pod.isLeaving && !names.has(pod.node));
  // The kubelet's clock may be ahead of ours: its pods are ready in the future.
  const ahead = pods.map(readyFromMs).filter((atMs) => atMs > nowMs && atMs < Number.POSITIVE_INFINITY);
  return {
    ...{ steps: [...missing, ...[...free, ...moved, ...strays].map(deleteStep)], ready },
    lookAgainAtMs: ahead.length === 0 ? undefined : Math.min(...ahead),
  };
}

function createStep(object: StoredObject, node: string, image: string): CreateStep {
  const { namespace, name: toy, uid } = object;
  const name = childName(toy, [uid, node, image], 63);
  const labels = { app: `${toy}-pod`, [IMAGE]: image };
  return {
    ...{ do: "create", why: `${node} has no pod` },
    object: {
      ...{
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace, labels, ownerReferences: [ownerReference(object)] },
      },
      spec: {
        ...{ nodeName: node, terminationGracePeriodSeconds: 1, tolerations: [{ operator: "Exists" }] },
        containers: [{ name: "main", image }],
      },
    },
  };
}

function deleteStep({ namespace, name, uid }: DaemonPod): Step {
  const target = { apiVersion: "v1", kind: "Pod", namespace, name };
  return { do: "delete", target, uid, propagation: "Background", why: "it is old, or nobody wants it" };
}

function labelSteps(
  snapshot: Snapshot,
  toy: ObjectName,
  image: string | undefined,
  after: readonly string[],
): readonly ApplyStep[] {
  const key = labelOf(toy);
  return snapshot.nodes.flatMap((node) => {
    const wanted = image !== undefined && isWanted(node) ? image : undefined;
    if (node.labels[key] === wanted || node.isLeaving) return [];
    const { name, uid } = node;
    const labels: Record<string, string> = wanted === undefined ? {} : { [key]: wanted };
    const object = { apiVersion: "v1", kind: "Node", metadata: { name, uid, labels } };
    return [{ do: "apply" as const, object, after, why: `${name} is ${wanted === undefined ? "not " : ""}wanted` }];
  });
}

function statusOf(
  { object, generation }: StoredObject,
  { nodes, ready, nowMs }: { readonly nodes: number; readonly ready: number; readonly nowMs: number },
): JsonObject {
  const isReady = ready === nodes;
  const claims: readonly Claim[] = [
    {
      ...{ type: "Ready", status: isReady ? "True" : "False", message: `${ready} of ${nodes}` },
      reason: isReady ? "AllNodesFitted" : "Progressing",
    },
    { type: "Stalled", status: "False", reason: "Succeeded", message: "" },
  ];
  const previous = isJsonObject(object.status) ? object.status.conditions : undefined;
  const conditions = buildConditions({ previous, claims, generation, nowMs });
  return { observedGeneration: generation, nodes, ready, conditions: [...conditions] };
}

function wantedNodes(snapshot: Snapshot): readonly NodeFacts[] {
  return snapshot.nodes.filter((node) => isWanted(node) && !node.isLeaving);
}

function isWanted(node: NodeFacts | undefined): boolean {
  return node?.labels[WANTED] === "yes";
}

function imageOf({ object }: StoredObject): string {
  return isJsonObject(object.spec) ? textIn(object.spec.image) : "";
}

function nameOf(label: string): ObjectName {
  const [namespace = "", ...rest] = label.slice(LABEL_PREFIX.length).split(".");
  return { namespace, name: rest.join(".") };
}

function refOf({ namespace, name }: StoredObject): ObjectRef {
  return { apiVersion: `${GROUP}/v1`, kind: "Toy", namespace, name };
}

function ownerReference({ name, uid }: StoredObject) {
  return { apiVersion: `${GROUP}/v1`, kind: "Toy", name, uid, controller: true, blockOwnerDeletion: true };
}
