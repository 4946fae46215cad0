// A pod as its kubelet sees it: what to run, what was reported, whether it is to end. Read once per change of the pod.
import { type Key, keyOf } from "../../../src/kube/resource.ts";
import type { ApiContainer, ApiHook, ApiPod, ApiPodStatus } from "../api-shapes.ts";

export type PodView = {
  readonly key: Key;
  readonly uid: string;
  readonly nodeName: string;
  readonly generation: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly isOnHostNetwork: boolean;
  readonly containers: readonly ApiContainer[];
  readonly initContainers: readonly ApiContainer[];
  readonly readinessGates: readonly string[];
  /** Where it wants to be, and which taints it bears; read only when its node admits it. */
  readonly placement: { readonly nodeSelector: unknown; readonly affinity: unknown; readonly tolerations: unknown };
  /** How long the hooks of its containers take that say so. */
  readonly hooks: { readonly postStartMs: number; readonly preStopMs: number };
  /** Present once somebody has asked for its end. */
  readonly deletion: { readonly graceSeconds: number } | undefined;
  readonly reported: ApiPodStatus;
};

const GRACE_SECONDS = 30;

/** Reads an API pod. */
export function parsePod(pod: ApiPod): PodView {
  const { metadata, spec, status } = pod;
  return {
    key: keyOf(pod),
    uid: metadata.uid ?? "",
    nodeName: spec.nodeName ?? "",
    generation: metadata.generation,
    annotations: metadata.annotations ?? {},
    restartPolicy: spec.restartPolicy ?? "Always",
    isOnHostNetwork: spec.hostNetwork === true,
    containers: spec.containers.map(({ name, image, resources }) => ({
      name,
      image,
      ...(resources === undefined ? {} : { resources }),
    })),
    initContainers: (spec.initContainers ?? []).map(({ name, image, restartPolicy }) => ({
      name,
      image,
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    })),
    readinessGates: (spec.readinessGates ?? []).map((gate) => gate.conditionType),
    placement: { nodeSelector: spec.nodeSelector, affinity: spec.affinity, tolerations: spec.tolerations },
    hooks: {
      postStartMs: longestMs(spec.containers.map(({ lifecycle }) => lifecycle?.postStart)),
      preStopMs: longestMs(spec.containers.map(({ lifecycle }) => lifecycle?.preStop)),
    },
    deletion:
      metadata.deletionTimestamp === undefined
        ? undefined
        : { graceSeconds: metadata.deletionGracePeriodSeconds ?? GRACE_SECONDS },
    reported: status ?? {},
  };
}

function longestMs(hooks: readonly (ApiHook | undefined)[]): number {
  return Math.max(...hooks.map((hook) => (hook?.sleep?.seconds ?? 0) * 1000), 0);
}

/** True once the API has it that the pod will never run again. */
export function isFinished(pod: PodView): boolean {
  return pod.reported.phase === "Succeeded" || pod.reported.phase === "Failed";
}
