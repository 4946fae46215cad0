// The parts of Pod, Node and Lease that a kubelet reads and writes, and where they live.
import type { KubeObject, ObjectMeta, Resource } from "../../src/kube/resource.ts";

/** Only `sleep` is simulated: a hook that takes as long as it says. */
export type ApiHook = { readonly sleep?: { readonly seconds?: number } };

export type ApiResources = {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
};

export type ApiContainer = {
  readonly name: string;
  readonly image: string;
  readonly resources?: ApiResources;
  readonly lifecycle?: { readonly postStart?: ApiHook; readonly preStop?: ApiHook };
  /** Only init containers have one: "Always" makes a sidecar. */
  readonly restartPolicy?: string;
};

export type ApiCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
};

export type ApiTerminated = {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerID: string;
};

export type ApiContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: ApiTerminated };

export type ApiContainerStatus = {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ApiContainerState;
  readonly lastState?: { readonly terminated?: ApiTerminated };
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly resources?: ApiResources;
};

export type ApiPodStatus = {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ApiCondition[];
  readonly containerStatuses?: readonly ApiContainerStatus[];
  readonly initContainerStatuses?: readonly ApiContainerStatus[];
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
};

export type ApiPod = KubeObject & {
  readonly spec: {
    readonly nodeName?: string;
    readonly restartPolicy?: "Always" | "OnFailure" | "Never";
    readonly hostNetwork?: boolean;
    readonly containers: readonly ApiContainer[];
    readonly initContainers?: readonly ApiContainer[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly nodeSelector?: unknown;
    readonly affinity?: unknown;
    readonly tolerations?: unknown;
  };
  readonly status?: ApiPodStatus;
};

export type ApiTaint = { readonly key: string; readonly value?: string; readonly effect: string };

export type ApiNode = KubeObject & {
  readonly spec?: { readonly taints?: readonly ApiTaint[]; readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly ApiCondition[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
};

export type ApiLease = KubeObject & {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly holderIdentity: string; readonly leaseDurationSeconds: number; readonly renewTime: string };
};

export const PODS: Resource<ApiPod> = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
export const NODES: Resource<ApiNode> = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
export const LEASES: Resource<ApiLease> = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};
export const LEASE_NAMESPACE = "kube-node-lease";

/** A timestamp as the API writes it: whole seconds. */
export function apiTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A timestamp with microseconds, as leases have it. */
export function apiMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
