// A pod as its kubelet sees it: what to run, what was reported, whether it is to end. Read once per change of the pod.
import { type Key, keyOf } from "../../src/kube/resource.ts";
import type { ApiContainer, ApiPod, ApiPodStatus } from "./api-shapes.ts";

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
    containers: spec.containers.map(({ name, image }) => ({ name, image })),
    initContainers: (spec.initContainers ?? []).map(({ name, image, restartPolicy }) => ({
      name,
      image,
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    })),
    readinessGates: (spec.readinessGates ?? []).map((gate) => gate.conditionType),
    deletion:
      metadata.deletionTimestamp === undefined
        ? undefined
        : { graceSeconds: metadata.deletionGracePeriodSeconds ?? GRACE_SECONDS },
    reported: status ?? {},
  };
}

/** True once the API has it that the pod will never run again. */
export function isFinished(pod: PodView): boolean {
  return pod.reported.phase === "Succeeded" || pod.reported.phase === "Failed";
}
