// Pods that are what their node should run and say so of an older revision: their labels are put right, and nothing is restarted.

import type { PatchStep } from "../../../core/decision/step.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import type { Rendered } from "../render.ts";
import type { Surveyed } from "../rollout/survey.ts";
import type { NodeView } from "./node-pods.ts";
import { identityLabels } from "./pod-body.ts";
import { APPLIED_PATCHES } from "./pod-keys.ts";

export type Repair = {
  /** As many pods are put right at once. */
  readonly max: number;
  /** UIDs of pods that are written to anyway. */
  readonly busy: ReadonlySet<string>;
};

/** The corrections of labels. They disturb nobody, so neither pause nor partition holds them back. */
export function repairSteps({ restless, history }: Surveyed, { max, busy }: Repair): readonly PatchStep[] {
  const steps: PatchStep[] = [];
  for (const view of restless) {
    if (steps.length === max) break;
    const [pod] = view.current;
    if (pod !== undefined && !busy.has(pod.uid)) steps.push(...repairOf(pod, view, history.update.hash));
  }
  return steps;
}

function repairOf(pod: DaemonPod, view: NodeView, revision: string): readonly PatchStep[] {
  const { rendering } = view.placement;
  if (!rendering.ok || view.currentStanding !== "mislabelled") return [];
  return [labelStep(pod, rendering.value, revision)];
}

/** The very pod as it was seen: one that has changed since may not be what it was. */
function labelStep(pod: DaemonPod, rendered: Rendered, revision: string): PatchStep {
  const { uid, resourceVersion } = pod;
  const places = rendered.places === "" ? null : rendered.places;
  const labels = identityLabels(rendered, revision);
  return {
    ...{ do: "patch", target: podRef(pod), patchType: "merge" },
    patch: { metadata: { uid, resourceVersion, labels, annotations: { [APPLIED_PATCHES]: places } } },
    why: `${pod.name} is up to date and bears an older revision`,
    // Which one is older follows from what the set wishes.
    premises: [],
  };
}
