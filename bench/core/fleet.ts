// A fleet of nodes as the API server shows them, about 8 KB each, and the questions that are asked of every node.
import type { Json, JsonObject } from "../../src/core/json/json.ts";

const FLEET_NODES = 100;
const zones = ["eu-1a", "eu-1b", "eu-1c"];
const kernels = ["5.14.0-427.13.1.el9_4.x86_64", "5.15.0-1057-aws", "6.8.0-45-generic", "6.1.102-flatcar"];
const osImages = [
  "Red Hat Enterprise Linux 9.4 (Plow)",
  "Ubuntu 22.04.4 LTS",
  "Ubuntu 24.04.1 LTS",
  "Flatcar 3975.2.0",
];

/** The nodes of the fleet; they differ in name, zone, kernel, architecture, and some carry a taint. */
export const fleet: readonly JsonObject[] = Array.from({ length: FLEET_NODES }, (_, index) => aNode(index));

/** What a node set asks of labels: two values and three expressions. */
export const selector: JsonObject = {
  matchLabels: { "kubernetes.io/os": "linux", "node.example.com/pool": "storage" },
  matchExpressions: [
    { key: "topology.kubernetes.io/zone", operator: "In", values: ["eu-1a", "eu-1b"] },
    { key: "kubernetes.io/arch", operator: "NotIn", values: ["s390x", "ppc64le"] },
    { key: "node.example.com/retired", operator: "DoesNotExist" },
  ],
};

/** Where a daemon wants to run: a nodeSelector, two affinity terms, and a toleration of its own. */
export const daemonSpec: JsonObject = {
  nodeSelector: { "kubernetes.io/os": "linux" },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "node.example.com/disks", operator: "Gt", values: ["6"] }] },
          { matchExpressions: [{ key: "node.example.com/pool", operator: "In", values: ["storage", "mixed"] }] },
        ],
      },
    },
  },
  tolerations: [{ key: "storage", operator: "Exists", effect: "NoSchedule" }],
  containers: [],
};

function aNode(index: number): JsonObject {
  const name = `worker-${String(index).padStart(4, "0")}.eu-1.example.com`;
  const arch = index % 10 === 0 ? "arm64" : "amd64";
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      uid: `8f14e45f-ceea-467f-a1d2-${String(index).padStart(12, "0")}`,
      resourceVersion: String(1_000_000 + index),
      creationTimestamp: "2026-03-01T08:00:00Z",
      labels: labelsOf(index, name, arch),
      annotations: {
        "csi.volume.kubernetes.io/nodeid": `{"agent.example.com":"${name}"}`,
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
    },
    spec: { podCIDR: `10.${index}.0.0/24`, providerID: `example:///eu-1/${name}`, ...taintsOf(index) },
    status: statusOf(index, name, arch),
  };
}

function labelsOf(index: number, name: string, arch: string): JsonObject {
  return {
    "beta.kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": arch,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "node.example.com/disks": String(index % 12),
    "node.example.com/pool": index % 3 === 0 ? "general" : "storage",
    "node.kubernetes.io/instance-type": "m6.4xlarge",
    "topology.kubernetes.io/region": "eu-1",
    "topology.kubernetes.io/zone": zones[index % zones.length] ?? "",
  };
}

function taintsOf(index: number): JsonObject {
  if (index % 5 === 0) return { taints: [{ key: "storage", value: "only", effect: "NoSchedule" }] };
  if (index % 7 === 0) {
    return {
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded: "2026-11-01T10:00:00Z" }],
    };
  }
  return {};
}

function statusOf(index: number, name: string, arch: string): JsonObject {
  const amounts = {
    cpu: "16",
    "ephemeral-storage": "209702892Ki",
    "hugepages-2Mi": "0",
    memory: "65031844Ki",
    pods: "110",
  };
  return {
    capacity: amounts,
    allocatable: { ...amounts, cpu: "15890m", memory: "63983268Ki" },
    conditions: conditions(),
    addresses: [
      { type: "InternalIP", address: `10.1.${Math.floor(index / 250)}.${index % 250}` },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: `ec2a${String(index).padStart(28, "0")}`,
      systemUUID: `ec2a0000-0000-0000-0000-${String(index).padStart(12, "0")}`,
      bootID: `5c0b1a52-64f3-4d37-8bd2-${String(index).padStart(12, "0")}`,
      kernelVersion: kernels[index % kernels.length] ?? "",
      osImage: osImages[index % osImages.length] ?? "",
      containerRuntimeVersion: "containerd://1.7.22",
      kubeletVersion: "v1.35.4",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: arch,
    },
    images: images(),
    volumesInUse: [],
  };
}

function conditions(): readonly Json[] {
  const types = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready"];
  return types.map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastHeartbeatTime: "2026-11-15T21:58:02Z",
    lastTransitionTime: "2026-03-01T08:00:40Z",
    reason: `Kubelet${type}`,
    message: type === "Ready" ? "kubelet is posting ready status" : `kubelet reports no ${type}`,
  }));
}

/** The images that a kubelet lists are most of a real Node's bytes. */
function images(): readonly Json[] {
  return Array.from({ length: 26 }, (_, index) => ({
    names: [
      `registry.example.com/platform/component-${index}@sha256:${"0123456789abcdef".repeat(4)}`,
      `registry.example.com/platform/component-${index}:1.${index}.0`,
    ],
    sizeBytes: 20_000_000 + index * 1_234_567,
  }));
}
