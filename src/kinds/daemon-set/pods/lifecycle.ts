// The preDelete hook: a pod that is to go and bears a label or finalizer of the hook is only marked, and goes when whoever set the
// hook has taken it away. Every deletion by the controller passes here; there is no way back for a marked pod.
//
// Guarantees: no pod is deleted while a hook holds it, however long that takes: whoever set the hook may be saving something.
// Caveats: a hook that nobody releases holds its node for ever. After a while that counts as trouble, and its holder is named.
import { timestamp } from "../../../core/decision/conditions.ts";
import { instantIn } from "../../../core/decision/object-identity.ts";
import { type DeleteStep, type PatchStep, stepId } from "../../../core/decision/step.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import { listOf } from "../../schema/json-parts.ts";
import type { PreDeleteHook } from "../api/spec.ts";
import { condition, KRUISE_POD_READY, statusStep } from "../in-place/in-place-gate.ts";

/** Label: where in its life a pod is. */
export const LIFECYCLE_STATE = "lifecycle.apps.kruise.io/state";
/** Annotation: since when. */
export const LIFECYCLE_SINCE = "lifecycle.apps.kruise.io/timestamp";
export const PREPARING_DELETE = "PreparingDelete";
/** How Kruise signs what it says in the condition of its gate. */
const NOT_READY_BECAUSE: JsonObject = Object.freeze({ userAgent: "Lifecycle", key: "preDeleteHook" });

/** A hook that takes longer than this is a matter for a person. */
export const HOOK_PATIENCE_MS = 600_000;

export type Removal =
  | { readonly is: "deleting"; readonly steps: readonly DeleteStep[] }
  /** It is being marked, or marked and still held; `because` is a clause. */
  | {
      readonly is: "held";
      readonly because: string;
      readonly steps: readonly PatchStep[];
      /** From when on it has taken too long. */
      readonly overdueAtMs: number;
    };

/** Whether the pod is marked to go. Pod by pod it counts as unavailable from then on; in a surge it serves until another one does. */
export function isPreparingDelete({ labels }: DaemonPod): boolean {
  return labels[LIFECYCLE_STATE] === PREPARING_DELETE;
}

/** What holds the pod: the label or finalizer of the hook that it bears; undefined when nothing does. */
export function hookOn(pod: DaemonPod, hook: PreDeleteHook | undefined): string | undefined {
  if (hook === undefined) return undefined;
  const finalizer = hook.finalizers.find((name) => pod.finalizers.includes(name));
  if (finalizer !== undefined) return `finalizer ${finalizer}`;
  const label = Object.entries(hook.labels).find(([key, value]) => pod.labels[key] === value);
  return label && `label ${label[0]}=${label[1]}`;
}

/** Why a pod goes, and what that follows from: the same for its deletion and for the mark that comes before it. */
export type Grounds = Pick<DeleteStep, "why" | "premises">;

export type RemovalRule = { readonly hook: PreDeleteHook | undefined; readonly nowMs: number };

/** Takes a pod away as far as its hook allows: deletes it by its UID, or marks it. */
export function removePod(pod: DaemonPod, grounds: Grounds, { hook, nowMs }: RemovalRule): Removal {
  const holder = hookOn(pod, hook);
  if (hook === undefined || holder === undefined) {
    return {
      is: "deleting",
      steps: [{ do: "delete", target: podRef(pod), uid: pod.uid, propagation: "Background", ...grounds }],
    };
  }
  const because = `the preDelete hook holds ${pod.name} by its ${holder}`;
  const sinceMs = isPreparingDelete(pod) ? (instantIn(pod.annotations[LIFECYCLE_SINCE]) ?? nowMs) : nowMs;
  const overdueAtMs = sinceMs + HOOK_PATIENCE_MS;
  const leaving = notReadySteps(pod, hook, nowMs);
  if (isPreparingDelete(pod)) return { is: "held", because, steps: leaving, overdueAtMs };
  const marking: PatchStep = {
    ...{ do: "patch", target: podRef(pod), patchType: "strategic", ...grounds },
    patch: {
      metadata: {
        uid: pod.uid,
        labels: { [LIFECYCLE_STATE]: PREPARING_DELETE },
        annotations: { [LIFECYCLE_SINCE]: timestamp(nowMs) },
      },
    },
  };
  // The mark decides, and has no way back: a pod that left the service without one would stay there when the wish changes.
  const after = [stepId(marking)];
  return { is: "held", because, steps: [marking, ...leaving.map((step) => ({ ...step, after }))], overdueAtMs };
}

/** Takes the pod out of service, if the hook asks for it and the pod has the gate for it. */
function notReadySteps(pod: DaemonPod, { isMarkedNotReady }: PreDeleteHook, nowMs: number): readonly PatchStep[] {
  const gate = pod.gates.find(({ type }) => type === KRUISE_POD_READY);
  if (!isMarkedNotReady || gate === undefined) return [];
  const messages = messagesIn(gate.condition?.message ?? "");
  if (messages.some(isOurs)) return [];
  const message = JSON.stringify([...messages, NOT_READY_BECAUSE]);
  const conditions = [
    condition(KRUISE_POD_READY, { isTrue: false, reason: "", message }, nowMs),
    condition("Ready", { isTrue: false, reason: "PreparingDelete", message: "the pod is about to be deleted" }, nowMs),
  ];
  return [statusStep(pod, conditions, "it leaves the service before it is deleted")];
}

/** What others have written to the condition stays: the pod is ready when the list is empty. */
function messagesIn(text: string): readonly JsonObject[] {
  const parsed = parseJson(text);
  const list: readonly Json[] = parsed.ok ? listOf(parsed.value) : [];
  return list.filter(isJsonObject);
}

function isOurs({ userAgent, key }: JsonObject): boolean {
  return userAgent === NOT_READY_BECAUSE.userAgent && key === NOT_READY_BECAUSE.key;
}
