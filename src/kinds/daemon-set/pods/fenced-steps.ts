// Writes to a pod that hold only for the pod as it was seen: the version in them lets the API server refuse them once anybody has changed it.

import type { PatchStep, Step } from "../../../core/decision/step.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";

/** The same writes to the pod, if it is exactly as it was seen: the first of them decides for those that wait for it. */
export function fencedSteps(steps: readonly Step[], pod: DaemonPod): readonly Step[] {
  const [first, ...rest] = steps;
  if (first?.do === "delete") return [{ ...first, resourceVersion: pod.resourceVersion }, ...rest];
  return first?.do === "patch" ? [fencedPatch(first, pod), ...rest] : steps;
}

/** The same patch of the pod, if it is exactly as it was seen. */
export function fencedPatch(step: PatchStep, { resourceVersion }: DaemonPod): PatchStep {
  if (!isJsonObject(step.patch)) return step;
  return { ...step, patch: mergeObject(step.patch, { metadata: { resourceVersion } }) };
}
