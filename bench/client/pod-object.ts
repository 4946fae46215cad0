// The daemon pods of the watch and of the PATCH answers: about 4.8 KB each, a good third of it managedFields.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { digestOf } from "./digest.ts";
import { managedEntry } from "./managed-fields.ts";

export type PodState = { readonly resourceVersion: number; readonly isReady: boolean };

const NAMESPACE = "drivers";
const CONDITIONS = ["Ready", "ContainersReady", "PodScheduled"];
const OWNERS = 20;
const LOADED = Array.from({ length: 12 }, (_, at) => `driver_${at}=5.14.0-427`).join(",");
const STARTED = "2026-11-15T21:58:02Z";

/** The pod of this number in a state; the same input gives the same bytes. */
export function aPod(index: number, { resourceVersion, isReady }: PodState): JsonObject {
  const owner = index % OWNERS;
  const labels = {
    app: `driver-${owner}`,
    "controller-revision-hash": "6f9b7c5d84",
    "pod-template-generation": "3",
  };
  const ownerReferences = [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      name: `driver-${owner}`,
      uid: `1c8ce56a-9d1b-4c0a-8f7e-${padded(owner)}`,
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  const spec = specOf(index, owner);
  const status = statusOf(index, isReady);
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: podName(index),
      generateName: `driver-${owner}-`,
      namespace: NAMESPACE,
      uid: `77e2b3d0-52f4-4a2b-b6a9-${padded(index)}`,
      resourceVersion: String(resourceVersion),
      creationTimestamp: STARTED,
      labels,
      annotations: { "prometheus.example.com/scrape": "true", "drivers.example.com/loaded": LOADED },
      ownerReferences,
      managedFields: [
        managedEntry("kube-controller-manager", {
          metadata: { generateName: "", labels, ownerReferences },
          spec,
        }),
        // A server takes the statuses of containers for one field.
        managedEntry("kubelet", { status: { ...status, containerStatuses: [] } }, "status"),
      ],
    },
    spec,
    status,
  };
}

/** The key of the pod of this number. */
export function podKey(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: NAMESPACE, name: podName(index) };
}

function podName(index: number): string {
  return `driver-${index % OWNERS}-${padded(index).slice(-6)}`;
}

function specOf(index: number, owner: number) {
  return {
    volumes: [{ name: "modules", hostPath: { path: "/lib/modules", type: "Directory" } }],
    containers: [containerOf(owner)],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    serviceAccountName: `driver-${owner}`,
    nodeName: `worker-${padded(index).slice(-5)}.eu-1.example.com`,
    hostNetwork: true,
    schedulerName: "default-scheduler",
    tolerations: tolerations(),
  };
}

function containerOf(owner: number): JsonObject {
  return {
    name: "driver",
    image: `registry.example.com/drivers/driver-${owner}:5.14.0-427.13.1.el9_4.x86_64`,
    command: ["/usr/local/bin/driver", "--node=$(NODE_NAME)", "--probe=:9102", "--log=info"],
    env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } }],
    resources: { requests: { cpu: "50m", memory: "80Mi" } },
    volumeMounts: [{ name: "modules", readOnly: true, mountPath: "/lib/modules" }],
    imagePullPolicy: "IfNotPresent",
    securityContext: { privileged: true },
  };
}

function tolerations(): readonly Json[] {
  const conditions = [
    "not-ready",
    "unreachable",
    "disk-pressure",
    "memory-pressure",
    "pid-pressure",
    "network-unavailable",
    "unschedulable",
  ];
  return conditions.map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: "Exists",
    effect: condition.startsWith("un") ? "NoExecute" : "NoSchedule",
  }));
}

function statusOf(index: number, isReady: boolean) {
  return {
    phase: isReady ? "Running" : "Pending",
    conditions: CONDITIONS.map((type) => ({
      type,
      status: isReady || type === "PodScheduled" ? "True" : "False",
      lastProbeTime: null,
      lastTransitionTime: STARTED,
    })),
    hostIP: `10.1.${Math.floor(index / 250) % 250}.${index % 250}`,
    podIP: `10.1.${Math.floor(index / 250) % 250}.${index % 250}`,
    startTime: STARTED,
    containerStatuses: [
      {
        name: "driver",
        state: isReady ? { running: { startedAt: STARTED } } : { waiting: { reason: "ContainerCreating" } },
        lastState: {},
        ready: isReady,
        restartCount: 0,
        image: "registry.example.com/drivers/driver:1.4.2",
        imageID: `registry.example.com/drivers/driver@sha256:${digestOf(index)}`,
        containerID: `containerd://${digestOf(-index)}`,
        started: isReady,
      },
    ],
    qosClass: "Burstable",
  };
}

function padded(index: number): string {
  return String(index).padStart(12, "0");
}
