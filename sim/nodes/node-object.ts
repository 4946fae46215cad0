// What a kubelet writes about its node: the Node when it registers, its status after each boot, and the lease that says
// "still here". Pure.
import { parseTaints, type Taint } from "../../src/core/scheduling/taints.ts";
import { type ApiLease, type ApiNode, apiMicroTime, apiTime, LEASE_NAMESPACE } from "./api-shapes.ts";
import type { Machine, MachineSpec } from "./machine.ts";

export type NodeOptions = { readonly kubeletVersion: string };

const USUAL_CAPACITY = { cpu: "16", memory: "64Gi", "ephemeral-storage": "500Gi", pods: "110" };

/** What the API knows of a node, as far as its kubelet cares. */
export type NodeView = {
  readonly name: string;
  readonly uid: string;
  readonly bootId: string;
  readonly kernel: string;
  readonly isReady: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
};

/** Reads an API node. */
export function parseNode(node: ApiNode): NodeView {
  const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
  return {
    name: node.metadata.name,
    uid: node.metadata.uid ?? "",
    bootId: node.status?.nodeInfo?.bootID ?? "",
    kernel: node.status?.nodeInfo?.kernelVersion ?? "",
    isReady: ready?.status === "True",
    labels: node.metadata.labels ?? {},
    taints: parseTaints(node.spec?.taints),
  };
}

/** True when the API has it that this machine is up in its present boot. */
export function isTold(node: NodeView, machine: Machine): boolean {
  return node.isReady && node.bootId === machine.bootId;
}

/** The labels with which a machine registers. */
export function nodeLabels({ name, arch, labels }: MachineSpec): Readonly<Record<string, string>> {
  const wellKnown = { "kubernetes.io/hostname": name, "kubernetes.io/arch": arch, "kubernetes.io/os": "linux" };
  return { ...wellKnown, ...labels };
}

/** How many pods a machine takes. */
export function podsMaxOf({ capacity }: MachineSpec): number {
  return Number(capacity?.pods ?? USUAL_CAPACITY.pods);
}

/** The Node with which a machine registers. */
export function nodeObject(machine: Machine, options: NodeOptions, nowMs: number): ApiNode {
  const { name, taints } = machine.spec;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: nodeLabels(machine.spec) },
    ...(taints.length === 0 ? {} : { spec: { taints } }),
    status: nodeStatus(machine, options, nowMs),
  };
}

/** The status of a machine that is up. */
export function nodeStatus(machine: Machine, options: NodeOptions, nowMs: number): NonNullable<ApiNode["status"]> {
  const { name, kernel, osImage, arch } = machine.spec;
  const resources = { ...USUAL_CAPACITY, ...machine.spec.capacity };
  const time = apiTime(nowMs);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    ...{ type, status, reason, message },
    ...{ lastHeartbeatTime: time, lastTransitionTime: time },
  });
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address: machine.ip },
      { type: "Hostname", address: name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    nodeInfo: {
      architecture: arch,
      bootID: machine.bootId,
      containerRuntimeVersion: "simulated://1.0.0",
      kernelVersion: kernel,
      kubeProxyVersion: "",
      kubeletVersion: options.kubeletVersion,
      machineID: name,
      operatingSystem: "linux",
      osImage,
      systemUUID: name,
    },
  };
}

/** The lease by which the node lifecycle controller knows that the kubelet lives. */
export function nodeLease(machine: Machine, nodeUid: string, durationSeconds: number, nowMs: number): ApiLease {
  const { name } = machine.spec;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace: LEASE_NAMESPACE,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: nodeUid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime: apiMicroTime(nowMs) },
  };
}
