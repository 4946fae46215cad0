// The writes that creations and deletions of pods come down to.
import type { DaemonPod } from "../../core/daemon-pod.ts";
import { isJsonObject } from "../../core/json.ts";
import { mergeObject } from "../../core/merge-patch.ts";
import type { Hold } from "../../core/plan.ts";
import { type CreateStep, type ObjectRef, type Step, stepId } from "../../core/step.ts";
import { removePod } from "./lifecycle.ts";
import type { Creation, Deletion } from "./manage.ts";
import type { Observed } from "./observe.ts";
import { type Binding, podBody, podName } from "./pod-body.ts";
import type { PreDeleteHook } from "./spec.ts";

export type Making = {
  readonly observed: Observed;
  readonly binding: Binding;
  readonly hook: PreDeleteHook | undefined;
  readonly nowMs: number;
};

export type Made = {
  readonly creates: readonly CreateStep[];
  /** What goes once its successor is there, and marks on pods that a hook holds instead. */
  readonly ends: Ending;
};

/** Creates pods, each once its revision is recorded; what they replace goes after them. */
export function createSteps(creations: readonly Creation[], { observed, binding, hook, nowMs }: Making): Made {
  const { object: set, history } = observed;
  const record = history.steps.filter((step) => step.do === "create").map(stepId);
  const creates: CreateStep[] = [];
  const ends: Ending[] = [];
  for (const { why, replaces, there, ...what } of creations) {
    const follows = predecessorOf(what.node, there, observed);
    const object = podBody({ ...what, set, revision: history.update.hash, binding, follows });
    const create: CreateStep = { do: "create", object, why, ...(record.length === 0 ? {} : { after: record }) };
    const end = endPods(replaces === undefined ? [] : [replaces], { hook, nowMs });
    const isHeld = end.held.length > 0;
    if (!isHeld) creates.push(create);
    ends.push({ ...end, steps: isHeld ? end.steps : end.steps.map((step) => ({ ...step, after: [stepId(create)] })) });
  }
  return { creates, ends: joinEndings(ends) };
}

/** One pod after the other may have been let go on a node; nobody looks at more of them at once. */
const RELEASED_MAX = 16;

/**
 * The UID after which the next pod of a node is named: of the youngest that is there, or else of the last that was seen to go. Where the
 * name is taken it is that of who has it: a pod that was to come beside the old one and failed, or one that is not ours any more.
 */
function predecessorOf(
  node: string,
  there: readonly DaemonPod[],
  { object: set, pastPod, strayUid }: Observed,
): string | undefined {
  const past = pastPod(node);
  const known = [...there, ...(past === undefined ? [] : [past])].filter(({ uid }) => uid !== "");
  const uids = new Map(known.map(({ name, uid }) => [name, uid]));
  let follows = youngest(there)?.uid ?? past?.uid;
  for (let tries = 0; tries < RELEASED_MAX; tries++) {
    const name = podName({ set, node, follows });
    const taken = uids.get(name) ?? strayUid(name);
    if (taken === undefined) break;
    follows = taken;
  }
  return follows;
}

/** One that the server has not answered yet has no UID to be named after. */
function youngest(pods: readonly DaemonPod[]): DaemonPod | undefined {
  const ageOf = ({ createdMs = 0, uid }: DaemonPod) => [createdMs, uid] as const;
  return pods
    .filter(({ uid }) => uid !== "")
    .reduce<DaemonPod | undefined>((best, pod) => {
      if (best === undefined) return pod;
      const [a, b] = [ageOf(best), ageOf(pod)];
      return b[0] > a[0] || (b[0] === a[0] && b[1] > a[1]) ? pod : best;
    }, undefined);
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
export function endPods(
  deletions: readonly Deletion[],
  { hook, nowMs }: { readonly hook: PreDeleteHook | undefined; readonly nowMs: number },
): Ending {
  return joinEndings(
    deletions.map(({ pod, why, isFenced }): Ending => {
      const removal = removePod(pod, { hook, why, nowMs });
      const steps = isFenced ? fencedSteps(removal.steps, pod) : removal.steps;
      if (removal.is === "deleting") return { steps, held: [], lookAgainAtMs: undefined };
      const isOverdue = removal.overdueAtMs <= nowMs;
      const hold: Hold = { node: pod.node, reason: isOverdue ? "HookOverdue" : "HandOver", because: removal.because };
      return { steps, held: [hold], lookAgainAtMs: isOverdue ? undefined : removal.overdueAtMs };
    }),
  );
}

/** The same writes to the pod, if it is exactly as it was seen: the first of them decides for those that wait for it. */
export function fencedSteps(steps: readonly Step[], { resourceVersion }: DaemonPod): readonly Step[] {
  const [first, ...rest] = steps;
  if (first?.do === "delete") return [{ ...first, resourceVersion }, ...rest];
  if (first?.do !== "patch" || !isJsonObject(first.patch)) return steps;
  return [{ ...first, patch: mergeObject(first.patch, { metadata: { resourceVersion } }) }, ...rest];
}

/** The pod as steps name it. */
export function podRef({ namespace, name }: DaemonPod): ObjectRef {
  return { apiVersion: "v1", kind: "Pod", namespace, name };
}
