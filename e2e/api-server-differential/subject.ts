// The kinds that the differential writes to: where they are served, what can be done to them, and what a random one looks like.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { type Chance, someContents, someDaemonSetSpec, someTexts } from "../field-ownership/random-objects.ts";
import { GADGETS, someGadget, someGadgetStatus } from "./gadget.ts";
import { NAMESPACE } from "./operation.ts";

export type Subject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterWide?: true;
  readonly isCustom?: true;
  readonly subresources: readonly ("status" | "scale" | "binding" | "eviction")[];
  /** Everything but type and metadata; a whole one can be created, another is what a manager wants of it. */
  readonly content: (chance: Chance, isWhole: boolean) => JsonObject;
  readonly status?: (chance: Chance) => JsonObject;
};

const image = (chance: Chance) => chance.one(["img:1", "img:2"]);

function somePodSpec(chance: Chance): JsonObject {
  const containers = ["main", ...chance.some(["side"], 0.3)];
  return {
    containers: containers.map((name) => ({
      name,
      image: image(chance),
      ...chance.fields({ env: () => [{ name: "A", value: chance.one(["1", "2"]) }], command: () => ["run"] }, 0.2),
    })),
    ...chance.fields(
      {
        nodeName: () => chance.one(["n1", "n2"]),
        nodeSelector: () => someTexts(chance),
        restartPolicy: () => chance.one(["Always", "Never"]),
        terminationGracePeriodSeconds: () => chance.one([0, 5, 30]),
        tolerations: () => chance.some(["a", "b"]).map((key) => ({ key, operator: "Exists" })),
        hostNetwork: () => chance.is(0.5),
        activeDeadlineSeconds: () => chance.one([10, 20]),
        priorityClassName: () => chance.one(["system-node-critical", "none"]),
      },
      0.2,
    ),
  };
}

function someTemplate(chance: Chance, restartPolicy?: string): JsonObject {
  const {
    nodeName: _nodeName,
    restartPolicy: _policy,
    activeDeadlineSeconds: _deadline,
    ...spec
  } = Object(somePodSpec(chance));
  return {
    metadata: { labels: { app: "a", ...someTexts(chance) } },
    spec: { ...spec, ...(restartPolicy === undefined ? {} : { restartPolicy }) },
  };
}

function someReplicated(chance: Chance): JsonObject {
  return {
    selector: { matchLabels: { app: "a" } },
    template: someTemplate(chance),
    ...chance.fields({ replicas: () => chance.below(3), minReadySeconds: () => chance.below(3) }),
  };
}

function someCondition(chance: Chance, type: string): JsonObject {
  return { type, status: chance.one(["True", "False"]), ...chance.fields({ reason: () => chance.one(["A", "B"]) }) };
}

/** The fields that hold something. */
export function withoutEmpty(object: JsonObject): JsonObject {
  const isEmpty = (value: Json) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)));
}

const moment = "2026-01-01T00:00:00Z";

export const subjects: readonly [Subject, ...Subject[]] = [
  {
    ...{ apiVersion: GADGETS, kind: "Gadget", plural: "gadgets", isCustom: true, subresources: ["status", "scale"] },
    content: (chance) => chance.fields({ spec: () => someGadget(chance) }, 0.95),
    status: someGadgetStatus,
  },
  {
    ...{ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", subresources: [] },
    // To the real server an empty map is another than none when it asks whether a closed object changes.
    content: (chance) => ({ ...withoutEmpty(someContents(chance)), ...(chance.is(0.05) ? { immutable: true } : {}) }),
  },
  {
    ...{ apiVersion: "v1", kind: "Secret", plural: "secrets", subresources: [] },
    content: (chance) =>
      chance.fields({
        data: () => chance.fields({ a: () => chance.one(["YQ==", "Yg=="]), b: () => "" }),
        stringData: () => chance.fields({ a: () => "x", c: () => chance.one(["x", "y"]) }),
        type: () => chance.one(["Opaque", "example.dev/odd"]),
      }),
  },
  {
    ...{ apiVersion: "v1", kind: "Pod", plural: "pods", subresources: ["status", "binding", "eviction"] },
    content: (chance) => ({ spec: somePodSpec(chance) }),
    status: (chance) =>
      chance.fields({
        phase: () => chance.one(["Pending", "Running", "Succeeded"]),
        podIP: () => chance.one(["10.0.0.1", "10.0.0.2"]),
        conditions: () => chance.some(["Ready", "Initialized"]).map((type) => someCondition(chance, type)),
        message: () => chance.one(["x", "y"]),
      }),
  },
  {
    ...{ apiVersion: "v1", kind: "Node", plural: "nodes", isClusterWide: true, subresources: ["status"] },
    content: (chance) =>
      chance.fields({
        spec: () =>
          chance.fields({
            unschedulable: () => chance.is(0.5),
            taints: () =>
              chance.some(["a", "b"]).map((key) => ({ key, effect: chance.one(["NoSchedule", "NoExecute"]) })),
            providerID: () => "x://1",
          }),
        status: () => ({ capacity: { cpu: chance.one(["4", "4000m"]), memory: "1Gi" } }),
      }),
    status: (chance) =>
      chance.fields({
        capacity: () => ({ cpu: chance.one(["4", "8"]), pods: "110" }),
        conditions: () => chance.some(["Ready", "DiskPressure"]).map((type) => someCondition(chance, type)),
        nodeInfo: () => ({
          ...{ machineID: "m", systemUUID: "s", bootID: chance.one(["b1", "b2"]), kernelVersion: "6.1", osImage: "o" },
          ...{
            containerRuntimeVersion: "c",
            kubeletVersion: "v1",
            kubeProxyVersion: "",
            operatingSystem: "linux",
            architecture: "amd64",
          },
        }),
        addresses: () => chance.some(["InternalIP", "Hostname"]).map((type) => ({ type, address: "10.0.0.1" })),
      }),
  },
  {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets", subresources: ["status"] },
    content: (chance, isWhole) => ({ spec: someDaemonSetSpec(chance, isWhole) }),
    status: (chance) =>
      chance.fields({
        ...{
          desiredNumberScheduled: () => chance.below(3),
          numberReady: () => chance.below(3),
          observedGeneration: () => 1,
        },
      }),
  },
  {
    ...{ apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", subresources: ["status", "scale"] },
    content: (chance) => ({ spec: someReplicated(chance) }),
    status: (chance) => chance.fields({ replicas: () => chance.below(3), observedGeneration: () => 1 }),
  },
  {
    ...{ apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets", subresources: ["status", "scale"] },
    content: (chance) => ({ spec: someReplicated(chance) }),
    status: (chance) => ({ replicas: 2, ...chance.fields({ readyReplicas: () => chance.below(3) }) }),
  },
  {
    ...{ apiVersion: "batch/v1", kind: "Job", plural: "jobs", subresources: ["status"] },
    content: (chance) => ({
      spec: {
        template: someTemplate(chance, chance.one(["Never", "OnFailure"])),
        ...chance.fields({
          ...{ completions: () => chance.below(3), parallelism: () => chance.below(3), suspend: () => chance.is(0.5) },
          ...{ backoffLimit: () => chance.below(3), ttlSecondsAfterFinished: () => chance.below(3) },
        }),
      },
    }),
    status: (chance) => chance.fields({ active: () => chance.below(3) }),
  },
  {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases", subresources: [] },
    content: (chance) => ({
      spec: chance.fields({
        ...{ holderIdentity: () => chance.one(["a", "b"]), leaseDurationSeconds: () => chance.one([15, 30]) },
        ...{ renewTime: () => "2026-01-01T00:00:00.000000Z", leaseTransitions: () => chance.below(3) },
      }),
    }),
  },
  {
    ...{ apiVersion: "v1", kind: "Event", plural: "events", subresources: [] },
    content: (chance) => ({
      involvedObject: { kind: "Pod", name: "a", ...(chance.is(0.9) ? { namespace: NAMESPACE } : {}) },
      ...{ reason: chance.one(["A", "B"]), message: "m", type: "Normal", source: { component: "c" } },
      ...chance.fields({ count: () => chance.below(3), firstTimestamp: () => moment, lastTimestamp: () => moment }),
    }),
  },
  {
    ...{ apiVersion: "apps/v1", kind: "ControllerRevision", plural: "controllerrevisions", subresources: [] },
    content: (chance) => ({ data: { n: chance.below(2) }, revision: chance.below(3) }),
  },
  {
    ...{
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      plural: "poddisruptionbudgets",
      subresources: ["status"],
    },
    content: (chance) => ({
      spec: { selector: { matchLabels: { app: "a" } }, minAvailable: chance.one<number | string>([1, "50%"]) },
    }),
  },
  {
    ...{ apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts", subresources: [] },
    content: (chance) => chance.fields({ automountServiceAccountToken: () => chance.is(0.5) }),
  },
];
