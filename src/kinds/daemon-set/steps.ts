// The writes that creations and deletions of pods come down to.
import type { DaemonPod } from "../../core/daemon-pod.ts";
import { type CreateStep, type DeleteStep, type ObjectRef, type Step, stepId } from "../../core/step.ts";
import type { Creation, Deletion } from "./manage.ts";
import type { Observed } from "./observe.ts";
import { type Binding, podBody } from "./pod-body.ts";
import type { PreDeleteHook } from "./spec.ts";

export type Making = {
  readonly observed: Observed;
  readonly binding: Binding;
  /** The deletions of the same plan. */
  readonly ending: readonly Step[];
};

/** Creates pods, each once its revision is recorded and what it replaces is on its way out. */
export function createSteps(creations: readonly Creation[], making: Making): readonly CreateStep[] {
  const { observed, binding, ending } = making;
  const { object: set, history } = observed;
  const record = history.steps.filter((step) => step.do === "create").map(stepId);
  const ends = new Set(ending.map(stepId));
  return creations.flatMap(({ why, after, ...what }): readonly CreateStep[] => {
    const end = after && stepId(deleteStep(after, ""));
    // A hook holds what it would replace, or it is left for the next look.
    if (end !== undefined && !ends.has(end)) return [];
    const object = podBody({ ...what, set, revision: history.update.hash, binding });
    const waits = end === undefined ? record : [...record, end];
    return [{ do: "create", object, why, ...(waits.length === 0 ? {} : { after: waits }) }];
  });
}

export type Ending = { readonly hook: PreDeleteHook | undefined; readonly nowMs: number };

/** Deletes pods; one that a hook holds is asked to get ready for it first. */
export function deleteSteps(deletions: readonly Deletion[], _ending: Ending): readonly Step[] {
  return deletions.map(({ pod, why }) => deleteStep(pod, why));
}

/** Whether the pod has been asked to go and is held by a hook. */
export function isPrepared({ labels }: DaemonPod): boolean {
  return labels["lifecycle.apps.kruise.io/state"] === "PreparingDelete";
}

function deleteStep(pod: DaemonPod, why: string): DeleteStep {
  return { do: "delete", target: podRef(pod), uid: pod.uid, propagation: "Background", why };
}

/** The pod as steps name it. */
export function podRef({ namespace, name }: DaemonPod): ObjectRef {
  return { apiVersion: "v1", kind: "Pod", namespace, name };
}
