// The Node objects of the list: about 8 KB each, a quarter of it managedFields, and as different as the nodes of a real fleet.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { digestOf } from "./digest.ts";
import { managedEntry } from "./managed-fields.ts";

const ZONES = ["eu-1a", "eu-1b", "eu-1c"];
const KERNELS = ["5.14.0-427.13.1.el9_4.x86_64", "5.15.0-1057-aws", "6.8.0-45-generic", "6.1.102-flatcar"];
const SYSTEMS = ["Red Hat Enterprise Linux 9.4 (Plow)", "Ubuntu 22.04.4 LTS", "Ubuntu 24.04.1 LTS", "Flatcar 3975.2.0"];
const CONDITIONS = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready"];
/** The images that a kubelet lists are most of a real Node's bytes. */
const IMAGES = 17;
const FIRST_VERSION = 1_000_000;

/** The node of this number; the same number gives the same bytes. */
export function aNode(index: number): JsonObject {
  const name = `worker-${padded(index, 5)}.eu-1.example.com`;
  const labels = labelsOf(index, name);
  const annotations = {
    "csi.volume.kubernetes.io/nodeid": `{"agent.example.com":"${name}"}`,
    "node.alpha.kubernetes.io/ttl": "0",
    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
  };
  const spec = {
    podCIDR: `10.${index % 256}.0.0/24`,
    podCIDRs: [`10.${index % 256}.0.0/24`],
    providerID: `x:///${name}`,
  };
  const status = statusOf(index, name);
  const { capacity, conditions, nodeInfo, addresses } = status;
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      uid: `8f14e45f-ceea-467f-a1d2-${padded(index, 12)}`,
      resourceVersion: String(FIRST_VERSION + index),
      creationTimestamp: "2026-03-01T08:00:00Z",
      labels,
      annotations,
      managedFields: [
        managedEntry("kubelet", { metadata: { annotations, labels }, spec }),
        managedEntry("kubelet", { status: { capacity, conditions, nodeInfo, addresses, images: [] } }, "status"),
      ],
    },
    spec,
    status,
  };
}

function labelsOf(index: number, name: string): JsonObject {
  return {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "node.example.com/disks": String(index % 12),
    "node.example.com/pool": index % 3 === 0 ? "general" : "storage",
    "node.kubernetes.io/instance-type": "m6.4xlarge",
    "topology.kubernetes.io/region": "eu-1",
    "topology.kubernetes.io/zone": pick(ZONES, index),
  };
}

function statusOf(index: number, name: string) {
  const capacity = { cpu: "16", "ephemeral-storage": "209702892Ki", memory: "65031844Ki", pods: "110" };
  return {
    capacity,
    allocatable: { ...capacity, cpu: "15890m", memory: "63983268Ki" },
    conditions: CONDITIONS.map(conditionOf),
    addresses: [
      { type: "InternalIP", address: `10.1.${Math.floor(index / 250)}.${index % 250}` },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: digestOf(index).slice(0, 32),
      systemUUID: `ec2a0000-0000-0000-0000-${padded(index, 12)}`,
      bootID: `5c0b1a52-64f3-4d37-8bd2-${padded(index, 12)}`,
      kernelVersion: pick(KERNELS, index),
      osImage: pick(SYSTEMS, index),
      containerRuntimeVersion: "containerd://1.7.22",
      kubeletVersion: "v1.35.4",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
    images: imagesOf(index),
  };
}

function conditionOf(type: string): JsonObject {
  const isReady = type === "Ready";
  return {
    type,
    status: isReady ? "True" : "False",
    lastHeartbeatTime: "2026-11-15T21:58:02Z",
    lastTransitionTime: "2026-03-01T08:00:40Z",
    reason: `Kubelet${type}`,
    message: isReady ? "kubelet is posting ready status" : `kubelet reports no ${type}`,
  };
}

function imagesOf(index: number): readonly Json[] {
  return Array.from({ length: IMAGES }, (_, at) => ({
    names: [
      `registry.example.com/platform/component-${at}@sha256:${digestOf(index * IMAGES + at)}`,
      `registry.example.com/platform/component-${at}:1.${index % 90}.0`,
    ],
    sizeBytes: 20_000_000 + at * 1_234_567,
  }));
}

function padded(index: number, digits: number): string {
  return String(index).padStart(digits, "0");
}

function pick(list: readonly string[], index: number): string {
  return list[index % list.length] ?? "";
}
