// The writes that creations and deletions of pods come down to.

import type { Hold } from "../../../core/decision/plan.ts";
import { type CreateStep, type Premise, type Step, stepId } from "../../../core/decision/step.ts";
import type { NodeFacts } from "../../../core/node/node-facts.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import type { Observed } from "../observe.ts";
import type { Deletion } from "./deletion.ts";
import { fencedSteps } from "./fenced-steps.ts";
import { type Grounds, LIFECYCLE_STATE, type RemovalRule, removePod } from "./lifecycle.ts";
import type { Creation } from "./manage.ts";
import { type Binding, podBody } from "./pod-body.ts";
import { podName } from "./pod-name.ts";

const NO_PREMISES: readonly Premise[] = Object.freeze([]);

export type EndingRule = RemovalRule & {
  /** Labels of nodes on which it depends what a node should run. */
  readonly labelKeys: readonly string[];
};

export type Making = EndingRule & { readonly observed: Observed; readonly binding: Binding };

export type Made = {
  readonly creates: readonly CreateStep[];
  /** What goes once its successor is there, and marks on pods that a hook holds instead. */
  readonly ends: Ending;
};

/** Creates pods, each once its revision is recorded; what they replace goes after them. */
export function createSteps(creations: readonly Creation[], { observed, binding, ...rule }: Making): Made {
  const { object: set, history } = observed;
  const record = history.steps.filter((step) => step.do === "create").map(stepId);
  const creates: CreateStep[] = [];
  const ends: Ending[] = [];
  for (const { why, replaces, facts, last, namesake, berth, ...what } of creations) {
    const object = podBody({ ...what, set, name: podName(berth), revision: history.update.hash, binding });
    const named = [
      ...(last === undefined ? [] : [wasThere(last)]),
      ...(namesake === undefined ? [] : [staysThere(namesake)]),
    ];
    const premises = [...labelPremises(facts, rule), ...named];
    const create: CreateStep = {
      do: "create",
      object,
      why,
      premises,
      ...(record.length === 0 ? {} : { after: record }),
    };
    const end = endPods(replaces === undefined ? [] : [replaces], rule);
    const isHeld = end.held.length > 0;
    if (!isHeld) creates.push(create);
    ends.push({ ...end, steps: isHeld ? end.steps : end.steps.map((step) => ({ ...step, after: [stepId(create)] })) });
  }
  return { creates, ends: joinEndings(ends) };
}

/** Which patches a pod gets follows from labels of its node; where there are no patches, nothing does. */
function labelPremises({ name, uid, labels }: NodeFacts, { labelKeys }: EndingRule): readonly Premise[] {
  if (labelKeys.length === 0) return NO_PREMISES;
  const seen = labelKeys.map((key) => [key, Object.hasOwn(labels, key) ? labels[key] : undefined] as const);
  return [{ target: { apiVersion: "v1", kind: "Node", name }, uid, labels: Object.fromEntries(seen) }];
}

/** A pod comes after the one that ended only as long as that one is there for all to see: who knows no better may name it otherwise. */
function wasThere(pod: DaemonPod): Premise {
  return { target: podRef(pod), uid: pod.uid, labels: {} };
}

/** A pod that stays is not leaving, and marked to go only if it was when it was seen. */
function staysThere(pod: DaemonPod): Premise {
  const labels = { [LIFECYCLE_STATE]: pod.labels[LIFECYCLE_STATE] };
  return { target: podRef(pod), uid: pod.uid, labels, isStaying: true };
}

export type Ending = {
  /** Deletions, and marks on pods that a hook holds. */
  readonly steps: readonly Step[];
  readonly held: readonly Hold[];
  /** When a hook will have taken too long. */
  readonly lookAgainAtMs: number | undefined;
};

function joinEndings(ends: readonly Ending[]): Ending {
  const looks = ends.flatMap(({ lookAgainAtMs }) => lookAgainAtMs ?? []);
  return {
    steps: ends.flatMap(({ steps }) => steps),
    held: ends.flatMap(({ held }) => held),
    lookAgainAtMs: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

/** Takes pods away; one that a hook holds is asked to get ready for it first. */
export function endPods(deletions: readonly Deletion[], rule: EndingRule): Ending {
  const { nowMs } = rule;
  return joinEndings(
    deletions.map((deletion): Ending => {
      const { pod, isFenced } = deletion;
      const removal = removePod(pod, groundsOf(deletion, rule), rule);
      const steps = isFenced ? fencedSteps(removal.steps, pod) : removal.steps;
      if (removal.is === "deleting") return { steps, held: [], lookAgainAtMs: undefined };
      const isOverdue = removal.overdueAtMs <= nowMs;
      const hold: Hold = { node: pod.node, reason: isOverdue ? "HookOverdue" : "HandOver", because: removal.because };
      return { steps, held: [hold], lookAgainAtMs: isOverdue ? undefined : removal.overdueAtMs };
    }),
  );
}

/**
 * Of several pods on a node those go that the set does not wish for. Who has not heard of an edit would take the new one while others take the
 * old one; but the new one was made after the edit, so whoever sees it and reads the set once more knows better. After a second edit it is the
 * other way round, and who took the old one may have been right: so the one that stays is read, too.
 */
function groundsOf({ why, kept }: Deletion, rule: EndingRule): Grounds {
  return kept === undefined ? { why } : { why, premises: [staysThere(kept.pod), ...labelPremises(kept.facts, rule)] };
}
