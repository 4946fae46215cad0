// The growing pause between the failures of a node's pods. How often they failed in a row stands on the pod itself, so that a
// restart of ours or another leader neither forgets a pause nor begins it anew.
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { FAILURES } from "./pod-keys.ts";

const FIRST_PAUSE_MS = 1_000;
export const PAUSE_MAX_MS = 15 * 60_000;
/** A pod that lived so long has not failed "again". */
export const FORGIVEN_AFTER_MS = 2 * PAUSE_MAX_MS;
const COUNT_MAX = 30;

export type FailurePause = {
  /** The instant from which the pod may be replaced, in wall ms. */
  readonly endsAtMs: number;
  /** What its successor records. */
  readonly failures: string;
};

/** The pause after which a pod that has ended may be replaced; the first is none, and a new generation begins afresh. */
export function failurePause(pod: DaemonPod, generation: number, nowMs: number): FailurePause {
  const before = failuresOf(pod, generation, nowMs);
  const pauseMs = before === 0 ? 0 : Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (before - 1));
  return {
    endsAtMs: (pod.createdMs ?? nowMs) + pauseMs,
    failures: `${generation}/${Math.min(COUNT_MAX, before + 1)}`,
  };
}

function failuresOf({ annotations, createdMs }: DaemonPod, generation: number, nowMs: number): number {
  const match = /^(\d{1,15})\/(\d{1,2})$/.exec(annotations[FAILURES] ?? "");
  if (match === null || Number(match[1]) !== generation) return 0;
  return nowMs - (createdMs ?? nowMs) > FORGIVEN_AFTER_MS ? 0 : Number(match[2]);
}
